/**
 * Who is asking. A key is hashed and looked up once; what was found is remembered, by another name for the key (`known-keys.ts`), until an organization or a key
 * changes, in this process or another, and then looked up again. Expiry is a matter of the clock and is judged anew at
 * every request.
 */
import { isPermission, type Permission } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import type { MemoryUse, Store } from "../store/store.ts";
import { KeyFilter } from "./key-filter.ts";
import { digestKey, hashOfDigest, isKeyShaped, KEY_LENGTH } from "./key-format.ts";
import { KnownKeys } from "./known-keys.ts";

export interface Holder {
  readonly keyId: string;
  readonly keyName: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly orgId: string;
  readonly orgName: string;
  readonly tier: Tier;
  /** How the log lines of requests name the key and its organization. */
  readonly logged: string;
}

export type Authentication =
  /** `version` is the store's, asked since the request came in. */
  | { readonly outcome: "valid"; readonly holder: Holder; readonly version: number }
  /** `holder` is for the log: the key is known, but opens nothing any more. */
  | { readonly outcome: "revoked" | "expired"; readonly holder: Holder }
  | { readonly outcome: "unknown" | "malformed" };

/** Far more keys than one server sees in a day; beyond it those remembered first are looked up again. */
const REMEMBERED_KEYS_MAX = 50_000;
const UNKNOWN_KEYS_MAX = 1_000;
/** Of as many keys it is known which there are; to read them all takes some milliseconds each time that one changes. */
const FILTERED_KEYS_MAX = 50_000;

export class Authenticator {
  readonly #store: Store;
  readonly #remembered = new KnownKeys<Holder>(REMEMBERED_KEYS_MAX);
  /** Keys that nobody holds: whoever tries one is likely to try it again. */
  readonly #unknown = new KnownKeys<true>(UNKNOWN_KEYS_MAX);
  /** Made when the first key is met that nobody holds, and good until a key changes. */
  #filter: KeyFilter | "none" | undefined;
  /** Look-ups under way, by digest: who asks for the same key at the same version waits for the same answer. */
  readonly #finding = new Map<string, { readonly version: number; readonly holder: Promise<Holder | undefined> }>();
  #forgetting: { readonly version: number; readonly done: Promise<void> } | undefined;
  #storeVersion = -1;
  #accessRevision = -1;
  #hits = 0;
  #misses = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  get memory(): MemoryUse {
    return { kept: this.#remembered.size, hits: this.#hits, misses: this.#misses };
  }

  /** Makes nobody wait for a key that was seen since the store last changed. The key is what stands in the text from there to its end. */
  authenticate(text: string, now: number, from = 0): Authentication | Promise<Authentication> {
    if (text.length - from !== KEY_LENGTH) return MALFORMED;
    const version = this.#store.recentVersion();
    if (version !== this.#storeVersion) this.#forgetAtOnce(version);
    if (version === this.#storeVersion) {
      if (this.#filter instanceof KeyFilter && !this.#filter.mayBegin(text, from)) {
        return isKeyShaped(text, from) ? UNKNOWN : MALFORMED;
      }
      const known = this.#remembered.find(text, from);
      // A key that somebody holds has the form of one.
      if (known !== undefined) {
        this.#hits++;
        return judge(known, now, version);
      }
    }
    if (!isKeyShaped(text, from)) return MALFORMED;
    const key = text.slice(from);
    const digest = digestKey(key);
    if (version === this.#storeVersion && this.#isHeldByNobody(key, digest)) return UNKNOWN;
    this.#misses++;
    return this.#findOnce(key, digest, version).then((holder) => judge(holder, now, version));
  }

  #findOnce(key: string, digest: string, version: number): Promise<Holder | undefined> {
    const finding = this.#finding.get(digest);
    if (finding?.version === version) return finding.holder;
    const holder = this.#findHolder(key, digest, version).finally(() => {
      if (this.#finding.get(digest)?.holder === holder) this.#finding.delete(digest);
    });
    this.#finding.set(digest, { version, holder });
    return holder;
  }

  async #findHolder(key: string, digest: string, version: number): Promise<Holder | undefined> {
    if (version !== this.#storeVersion) await this.#forgetOnce(version);
    const known = this.#remembered.find(key);
    if (known !== undefined) return known;
    const revision = this.#accessRevision;
    const holder = await this.#lookUp(hashOfDigest(digest));
    if (revision !== this.#accessRevision) return holder;
    if (holder !== undefined) this.#remembered.remember(key, holder);
    else {
      this.#unknown.remember(key, true);
      // Where it cannot be made, keys are looked for one by one.
      await this.#makeFilter(revision).catch(() => undefined);
    }
    return holder;
  }

  #isHeldByNobody(key: string, digest: string): boolean {
    if (this.#filter instanceof KeyFilter && !this.#filter.mayBeHeld(digest)) return true;
    return this.#unknown.find(key) === true;
  }

  /** In the embedded store alone: from another node a new key may come before the news of it. */
  async #makeFilter(revision: number): Promise<void> {
    if (this.#filter !== undefined || this.#store.kind !== "sqlite") return;
    this.#filter = "none";
    const rows = await this.#store.operator
      .selectFrom("api_keys")
      .select(["hash", "shown_prefix"])
      .limit(FILTERED_KEYS_MAX)
      .execute();
    const isWhole = rows.length < FILTERED_KEYS_MAX && revision === this.#accessRevision;
    if (isWhole) this.#filter = new KeyFilter(rows);
  }

  #forgetOnce(version: number): Promise<void> {
    if (this.#forgetting?.version === version) return this.#forgetting.done;
    const done = this.#forgetWhatChanged(version).finally(() => {
      if (this.#forgetting?.done === done) this.#forgetting = undefined;
    });
    this.#forgetting = { version, done };
    return done;
  }

  /** In the embedded store nobody has to wait to know what has changed. */
  #forgetAtOnce(version: number): void {
    const revision = this.#store.kind === "sqlite" ? this.#store.accessRevision() : undefined;
    if (typeof revision === "number") this.#forgetIfChanged(version, revision);
  }

  async #forgetWhatChanged(version: number): Promise<void> {
    this.#forgetIfChanged(version, await this.#store.accessRevision());
  }

  #forgetIfChanged(version: number, revision: number): void {
    if (revision !== this.#accessRevision) {
      this.#remembered.forgetAll();
      this.#unknown.forgetAll();
      this.#filter = undefined;
    }
    this.#accessRevision = revision;
    this.#storeVersion = version;
  }

  async #lookUp(hash: string): Promise<Holder | undefined> {
    const row = await this.#store.findKey(hash);
    if (row === undefined) return undefined;
    return {
      keyId: row.id,
      keyName: row.name,
      permissions: new Set(parsePermissions(row.permissions)),
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      orgId: row.org_id,
      orgName: row.org_name,
      tier: row.tier,
      logged: `","keyId":"${row.id}","orgId":"${row.org_id}`,
    };
  }
}

const UNKNOWN: Authentication = { outcome: "unknown" };
const MALFORMED: Authentication = { outcome: "malformed" };

function judge(holder: Holder | undefined, now: number, version: number): Authentication {
  if (holder === undefined) return UNKNOWN;
  if (holder.revokedAt !== null) return { outcome: "revoked", holder };
  if (holder.expiresAt !== null && holder.expiresAt <= now) return { outcome: "expired", holder };
  return { outcome: "valid", holder, version };
}

export function parsePermissions(json: string): Permission[] {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((value) => typeof value === "string" && isPermission(value)) : [];
}
