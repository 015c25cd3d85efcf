/**
 * Who is asking. A key is hashed once and looked up once; what was found is remembered until an organization or a key
 * changes, in this process or another, and then looked up again. Expiry is a matter of the clock and is judged anew at
 * every request.
 */
import { isPermission, type Permission } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import type { Store } from "../store/store.ts";
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
}

export type Authentication =
  /** `version` is the store's, asked since the request came in. */
  | { readonly outcome: "valid"; readonly holder: Holder; readonly version: number }
  /** `holder` is for the log: the key is known, but opens nothing any more. */
  | { readonly outcome: "revoked" | "expired"; readonly holder: Holder }
  | { readonly outcome: "unknown" | "malformed" };

/** Far more keys than one server sees in a day; beyond it those remembered first are looked up again. */
const REMEMBERED_KEYS_MAX = 50_000;

export class Authenticator {
  readonly #store: Store;
  readonly #remembered = new Map<string, Holder>();
  /** Look-ups under way, by hash: who asks for the same key at the same version waits for the same answer. */
  readonly #finding = new Map<string, { readonly version: number; readonly holder: Promise<Holder | undefined> }>();
  #forgetting: { readonly version: number; readonly done: Promise<void> } | undefined;
  #storeVersion = -1;
  #accessRevision = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Makes nobody wait for a key that was seen since the store last changed. */
  authenticate(key: string, now: number): Authentication | Promise<Authentication> {
    if (key.length !== KEY_LENGTH) return { outcome: "malformed" };
    const hash = hashKey(key);
    const version = this.#store.versionThisTurn();
    const known = version === this.#storeVersion ? this.#remembered.get(hash) : undefined;
    // A key that somebody holds has the form of one.
    if (known !== undefined) return judge(known, now, version);
    if (!isKeyShaped(key)) return { outcome: "malformed" };
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
    const known = this.#remembered.get(hash);
    if (known !== undefined) return known;
    const revision = this.#accessRevision;
    const holder = await this.#lookUp(hash);
    if (holder !== undefined && revision === this.#accessRevision) this.#remember(hash, holder);
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

  async #forgetWhatChanged(version: number): Promise<void> {
    const revision = await this.#store.accessRevision();
    if (revision !== this.#accessRevision) this.#remembered.clear();
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
    };
  }

  #remember(hash: string, holder: Holder): void {
    if (this.#remembered.size >= REMEMBERED_KEYS_MAX) {
      const oldest = this.#remembered.keys().next().value;
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(hash, holder);
  }
}

function judge(holder: Holder | undefined, now: number, version: number): Authentication {
  if (holder === undefined) return { outcome: "unknown" };
  if (holder.revokedAt !== null) return { outcome: "revoked", holder };
  if (holder.expiresAt !== null && holder.expiresAt <= now) return { outcome: "expired", holder };
  return { outcome: "valid", holder, version };
}

export function parsePermissions(json: string): Permission[] {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((value) => typeof value === "string" && isPermission(value)) : [];
}
