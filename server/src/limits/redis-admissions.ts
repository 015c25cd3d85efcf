/** What Redis holds of keys, for those who do not count: last uses, export and import for a move, forgetting. */
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { MERGE_SCRIPT, mergeArguments } from "./redis-merge-script.ts";
import { COPY_SCRIPT, LAST_USE_SCRIPT, readRing } from "./redis-ring-copy.ts";
import { givenName, laneName, lastUseName, ringName } from "./redis-ring-layout.ts";

const CONNECT_MS = 5_000;
const KEYS_AT_ONCE = 256;
/** Whole rings are large. */
const RINGS_AT_ONCE = 8;

/** The admissions of a key that still count. */
export interface CountedAdmissions {
  readonly keyId: string;
  /** Epoch milliseconds, oldest first. */
  readonly admissions: readonly number[];
  readonly lastUsedAt: number | undefined;
}

export interface RedisAdmissions {
  /** Epoch milliseconds by Redis's clock; keys that were never used are left out. */
  readLastUsed(keyIds: readonly string[]): Promise<Map<string, number>>;
  exportAdmissions(keyIds: Iterable<string>): AsyncIterable<CountedAdmissions>;
  /** Adds what is missing; the same import may be repeated. Returns how many admissions were added. */
  importAdmissions(entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>): Promise<number>;
  forget(keyIds: readonly string[]): Promise<void>;
  close(): void;
}

/** For a process that is no node: a command, while servers may be running. */
export async function openRedisAdmissions(url: string): Promise<RedisAdmissions> {
  const link = await connectToRedis({ url, timeoutMs: CONNECT_MS }).catch((error: unknown) => {
    throw new RedisUnreachableError(url, error);
  });
  return {
    readLastUsed: (keyIds) => readLastUsed(link, keyIds),
    exportAdmissions: (keyIds) => exportAdmissions(link, keyIds),
    importAdmissions: (entries) => importAdmissions(link, entries),
    forget: (keyIds) => forgetKeys(link, keyIds),
    close: () => link.destroy(),
  };
}

/** Says where Redis was looked for, and nothing of who was asking. */
export class RedisUnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    const reason = (cause instanceof Error ? cause.message || cause.name : String(cause)).replace(/\.$/, "");
    super(
      `Redis at ${describePlace(url)}, named by LINEUP_REDIS_URL, cannot be used: ${reason}. ` +
        "Start it or correct the setting; without it, servers on several machines cannot count requests together.",
    );
    this.name = "RedisUnreachableError";
  }
}

function describePlace(url: string): string {
  try {
    const { hostname, port } = new URL(url);
    return `${hostname}:${port === "" ? 6379 : port}`;
  } catch {
    return "an address that cannot be read";
  }
}

export async function readLastUsed(link: RedisLink, keyIds: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let start = 0; start < keyIds.length; start += KEYS_AT_ONCE) {
    const some = keyIds.slice(start, start + KEYS_AT_ONCE);
    await Promise.all(
      some.map(async (keyId) => {
        const lastUsedAt = Number(await link.run(LAST_USE_SCRIPT, [ringName(keyId), lastUseName(keyId)]));
        if (lastUsedAt > 0) found.set(keyId, lastUsedAt);
      }),
    );
  }
  return found;
}

export async function* exportAdmissions(link: RedisLink, keyIds: Iterable<string>): AsyncGenerator<CountedAdmissions> {
  const all = [...keyIds];
  for (let start = 0; start < all.length; start += RINGS_AT_ONCE) {
    const some = all.slice(start, start + RINGS_AT_ONCE);
    const rings = await Promise.all(
      some.map(async (keyId) => {
        const [copy, lastUse] = await Promise.all([
          link.run(COPY_SCRIPT, [ringName(keyId)]),
          link.run(LAST_USE_SCRIPT, [ringName(keyId), lastUseName(keyId)]),
        ]);
        return { keyId, copy: copy as Buffer[], lastUsedAt: Number(lastUse) };
      }),
    );
    const nowMs = await readTime(link, ringName(some[0] ?? ""));
    for (const { keyId, copy, lastUsedAt } of rings) {
      if (lastUsedAt > 0) yield { keyId, admissions: readRing(copy, nowMs), lastUsedAt };
    }
  }
}

export async function importAdmissions(
  link: RedisLink,
  entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>,
): Promise<number> {
  let added = 0;
  for await (const { keyId, admissions, lastUsedAt } of entries) {
    const times = admissions.toSorted((a, b) => a - b);
    const args = mergeArguments("import", times, lastUsedAt);
    added += Number(await link.run(MERGE_SCRIPT, [ringName(keyId), lastUseName(keyId), givenName(keyId)], args));
  }
  return added;
}

export async function forgetKeys(link: RedisLink, keyIds: readonly string[]): Promise<void> {
  for (let start = 0; start < keyIds.length; start += KEYS_AT_ONCE) {
    const some = keyIds.slice(start, start + KEYS_AT_ONCE);
    await Promise.all(
      some.map((keyId) => {
        const names = [ringName(keyId), laneName(keyId), lastUseName(keyId), givenName(keyId)];
        return link.send(ringName(keyId), ["UNLINK", ...names]);
      }),
    );
  }
}

async function readTime(link: RedisLink, name: string): Promise<number> {
  const [seconds, microseconds] = (await link.ask(name, ["TIME"])) as [Buffer, Buffer];
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
