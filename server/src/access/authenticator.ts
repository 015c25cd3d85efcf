/**
 * Who is asking. A key is looked up by its SHA-256 once; what was found is cached under that, never under the key itself, until an organization or a key
 * changes, in this process or another, and then looked up again. Expiry is a matter of the clock and is judged anew at
 * every request. A key that nobody holds costs one indexed look-up, and the last thousand of them not even that.
 */
import { isPermission, type Permission } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import { BoundedMap } from "../store/bounded-map.ts";
import type { MemoryUse, Store } from "../store/store.ts";
import { hashKey, isKeyShaped, KEY_LENGTH } from "./key-format.ts";

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

/** Far more keys than one server sees in a day; beyond it those cached first are looked up again. */
const CACHED_KEYS_MAX = 50_000;
const UNKNOWN_KEYS_MAX = 1_000;

export class Authenticator {
  readonly #store: Store;
  /** By hash of the key, the first cached first. */
  readonly #holders = new BoundedMap<string, Holder>(CACHED_KEYS_MAX);
  /** Hashes of keys that nobody holds: a client that tries one is likely to try it again. */
  readonly #unknown = new BoundedMap<string, true>(UNKNOWN_KEYS_MAX);
  /** Look-ups under way, by hash: who asks for the same key at the same version waits for the same answer. */
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
    return { entries: this.#holders.size, hits: this.#hits, misses: this.#misses };
  }

  /** Makes nobody wait for a key that was seen since the store last changed. */
  authenticate(key: string, now: number): Authentication | Promise<Authentication> {
    if (key.length !== KEY_LENGTH) return MALFORMED;
    const hash = hashKey(key);
    const version = this.#store.recentVersion();
    if (version !== this.#storeVersion) this.#forgetAtOnce(version);
    if (version === this.#storeVersion) {
      const holder = this.#holders.get(hash);
      if (holder !== undefined) {
        this.#hits++;
        return judge(holder, now, version);
      }
      if (this.#unknown.has(hash)) return UNKNOWN;
    }
    // A key that somebody holds has the form of one.
    if (!isKeyShaped(key)) return MALFORMED;
    this.#misses++;
    return this.#findOnce(hash, version).then((holder) => judge(holder, now, version));
  }

  #findOnce(hash: string, version: number): Promise<Holder | undefined> {
    const finding = this.#finding.get(hash);
    if (finding?.version === version) return finding.holder;
    const holder = this.#findHolder(hash, version).finally(() => {
      if (this.#finding.get(hash)?.holder === holder) this.#finding.delete(hash);
    });
    this.#finding.set(hash, { version, holder });
    return holder;
  }

  async #findHolder(hash: string, version: number): Promise<Holder | undefined> {
    if (version !== this.#storeVersion) await this.#forgetOnce(version);
    const cached = this.#holders.get(hash);
    if (cached !== undefined) return cached;
    const revision = this.#accessRevision;
    const holder = await this.#lookUp(hash);
    if (revision !== this.#accessRevision) return holder;
    if (holder === undefined) this.#unknown.set(hash, true);
    else this.#holders.set(hash, holder);
    return holder;
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
      this.#holders.clear();
      this.#unknown.clear();
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
