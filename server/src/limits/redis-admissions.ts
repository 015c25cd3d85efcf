/** What Redis holds of keys, for those who do not count: last uses, export and import for a move, forgetting. */
import { DAY_MS } from "@lineup/api/tiers";
import { connectToRedis, type RedisLink } from "./redis-link.ts";
import { MERGE_SCRIPT, mergeArguments } from "./redis-merge-script.ts";
import { BLOCK_BYTES, BLOCK_SIZE, givenName, HEAD_BYTES, lastUseName, ringName } from "./redis-ring-script.ts";

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
        const [written, head] = await Promise.all([
          link.send(ringName(keyId), ["GET", lastUseName(keyId)]),
          link.send(ringName(keyId), ["GETRANGE", ringName(keyId), "0", String(HEAD_BYTES - 1)]),
        ]);
        const lastUsedAt = Math.max(Number(written ?? 0), newestOf(head as Buffer));
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
        const [ring, written] = await Promise.all([
          link.send(ringName(keyId), ["GET", ringName(keyId)]),
          link.send(ringName(keyId), ["GET", lastUseName(keyId)]),
        ]);
        return { keyId, ring: ring as Buffer | null, lastUse: Number(written ?? 0) };
      }),
    );
    const nowMs = await readTime(link, ringName(some[0] ?? ""));
    for (const { keyId, ring, lastUse } of rings) {
      const admissions = ring === null ? [] : readRing(ring, nowMs);
      const lastUsedAt = Math.max(lastUse, ring === null ? 0 : newestOf(ring));
      if (lastUsedAt > 0) yield { keyId, admissions, lastUsedAt };
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
      some.map((keyId) =>
        link.send(ringName(keyId), ["UNLINK", ringName(keyId), lastUseName(keyId), givenName(keyId)]),
      ),
    );
  }
}

async function readTime(link: RedisLink, name: string): Promise<number> {
  const [seconds, microseconds] = (await link.ask(name, ["TIME"])) as [Buffer, Buffer];
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** The time of the newest admission, 0 where the head is none. */
function newestOf(ring: Buffer): number {
  if (ring.length < HEAD_BYTES) return 0;
  const expireAtMs = ring.readUIntBE(10, 6);
  return expireAtMs - ((expireAtMs - ring.readUInt32BE(32)) >>> 0);
}

/** The admissions in a whole ring that count at a moment, oldest first. */
export function readRing(ring: Buffer, nowMs: number): number[] {
  const newestMs = newestOf(ring);
  if (newestMs === 0) return [];
  const capacity = ring.readUInt16BE(8);
  const first = ring.readUInt32BE(20);
  const next = ring.readUInt32BE(28);
  const times: number[] = [];
  for (let number = first; number < next; number++) {
    const isInHead = number >= next - BLOCK_SIZE;
    const block = HEAD_BYTES + (Math.floor(number / BLOCK_SIZE) % capacity) * BLOCK_BYTES;
    const offset = isInHead
      ? HEAD_BYTES / 2 + 4 * (next - 1 - number)
      : block + 4 * (BLOCK_SIZE - 1 - (number % BLOCK_SIZE));
    const timeMs = newestMs - ((newestMs - ring.readUInt32BE(offset)) >>> 0);
    if (nowMs - timeMs < DAY_MS) times.push(timeMs);
  }
  return times;
}
