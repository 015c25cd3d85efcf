/**
 * Making, showing, revoking and rotating keys. The key itself leaves this file once, in the answer to its making; only its
 * hash and first characters are stored. Every change is one transaction that judges the key as it stands then, so that of
 * two who rotate a key at once one is refused.
 */
import { printableName, TIMESTAMP_MAX } from "@lineup/api/fields";
import { isIdOf } from "@lineup/api/ids";
import { findNearestName } from "@lineup/api/nearest-name";
import { isPermission, PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { DAY_MS } from "@lineup/api/tiers";
import type { Insertable, Selectable } from "kysely";
import type { ApiKeysTable } from "../store/access-tables.ts";
import {
  type AuditEntry,
  changesFromNothing,
  type FieldChanges,
  findFieldChanges,
  type Origin,
} from "../store/audit-entry.ts";
import { makeId } from "../store/ids.ts";
import type { Operator, Store } from "../store/store.ts";
import { parsePermissions } from "./authenticator.ts";
import { hashKey, KEY_PREFIX, makeKey, shownPrefixOf } from "./key-format.ts";
import { AccessError, requireName } from "./organizations.ts";

export type KeyState = "active" | "expires soon" | "rotating" | "expired" | "revoked";

/** How long before its end a key is said to expire soon. */
export const SOON_MS = 14 * DAY_MS;

export interface ApiKey {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly shownPrefix: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly successorId: string | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** A key at its making: `key` is the secret itself, which nobody can show again. */
export interface MadeKey extends ApiKey {
  readonly key: string;
}

export interface WantedKey {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly expiresAt?: number | null;
}

export async function createKey(store: Store, wanted: WantedKey, origin: Origin, now = Date.now()): Promise<MadeKey> {
  const name = requireName("The key's name", wanted.name);
  const permissions = requirePermissions(wanted.permissions);
  const expiresAt = wanted.expiresAt ?? null;
  if (expiresAt !== null && !(expiresAt > now && expiresAt <= TIMESTAMP_MAX)) {
    throw new AccessError("The key's expiry must lie in the future. Choose a later one.");
  }
  const createdBy = makerOf(origin);
  return store.writeAccess(origin, async (operator, { record }) => {
    const made = await insertKey(operator, { orgId: wanted.orgId, name, permissions, expiresAt, createdBy }, now);
    await record(made.orgId, [entryOf("key.created", made, now, changesFromNothing(recordedFields(made)))]);
    return made;
  });
}

export async function listKeys(store: Store, orgId: string): Promise<ApiKey[]> {
  const rows = await store.operator
    .selectFrom("api_keys")
    .selectAll()
    .where("org_id", "=", orgId)
    .orderBy("id")
    .execute();
  return rows.map(fromRow);
}

/** Every key of every organization: what is counted for any other belongs to nobody. */
export async function listAllKeyIds(store: Store): Promise<Set<string>> {
  const rows = await store.operator.selectFrom("api_keys").select("id").execute();
  return new Set(rows.map((row) => row.id));
}

/** A key that was revoked before stays revoked since then. */
export async function revokeKey(
  store: Store,
  keyId: string,
  origin: Origin,
  now = Date.now(),
): Promise<{ readonly key: ApiKey; readonly wasRevoked: boolean }> {
  return store.writeAccess(origin, async (operator, { record }) => {
    const key = await requireKey({ operator }, keyId);
    if (key.revokedAt !== null) return { key, wasRevoked: true };
    await operator.updateTable("api_keys").set({ revoked_at: now, updated_at: now }).where("id", "=", keyId).execute();
    await record(key.orgId, [entryOf("key.revoked", key, now, { revokedAt: [null, now] })]);
    return { key: { ...key, revokedAt: now }, wasRevoked: false };
  });
}

/** A successor with the same name, permissions and expiry; the old key lives on for the overlap, unless it ends sooner. */
export async function rotateKey(
  store: Store,
  keyId: string,
  overlapMs: number,
  origin: Origin,
  now = Date.now(),
): Promise<{ readonly successor: MadeKey; readonly old: ApiKey }> {
  if (!(overlapMs >= 0 && now + overlapMs <= TIMESTAMP_MAX)) {
    throw new AccessError("The overlap must be a span of time such as 24h, or 0.");
  }
  const createdBy = makerOf(origin);
  return store.writeAccess(origin, async (operator, { record }) => {
    const old = await requireKey({ operator }, keyId);
    refuseToRotate(old, now);
    const { orgId, name, permissions, expiresAt } = old;
    const successor = await insertKey(operator, { orgId, name, permissions, expiresAt, createdBy }, now);
    const oldExpiresAt = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs);
    await operator
      .updateTable("api_keys")
      .set({ expires_at: oldExpiresAt, successor_id: successor.id, updated_at: now })
      .where("id", "=", keyId)
      .execute();
    const changes: FieldChanges = { successorId: [null, successor.id], expiresAt: [expiresAt, oldExpiresAt] };
    await record(orgId, [
      entryOf("key.rotated", old, now, changes),
      entryOf("key.created", successor, now, changesFromNothing({ ...recordedFields(successor), replaces: old.id })),
    ]);
    return { successor, old: { ...old, expiresAt: oldExpiresAt, successorId: successor.id } };
  });
}

/** What is left out stays. The new permissions hold from the next request on. What is already so is not recorded. */
export async function updateKey(
  store: Store,
  keyId: string,
  update: { readonly name?: string | undefined; readonly permissions?: readonly string[] | undefined },
  origin: Origin,
  now = Date.now(),
): Promise<ApiKey> {
  const name = update.name === undefined ? undefined : requireName("The key's name", update.name);
  const permissions = update.permissions === undefined ? undefined : requirePermissions(update.permissions);
  return store.writeAccess(origin, async (operator, { record }) => {
    const before = await requireKey({ operator }, keyId);
    const after = { ...before, name: name ?? before.name, permissions: permissions ?? before.permissions };
    const changes = findFieldChanges(before, after);
    if (changes === undefined) return before;
    await operator
      .updateTable("api_keys")
      .set({ name: after.name, permissions: JSON.stringify(after.permissions), updated_at: now })
      .where("id", "=", keyId)
      .execute();
    await record(after.orgId, [entryOf("key.updated", after, now, changes)]);
    return after;
  });
}

export function stateOf(key: Pick<ApiKey, "revokedAt" | "expiresAt" | "successorId">, now: number): KeyState {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  if (key.successorId !== null) return "rotating";
  return key.expiresAt !== null && key.expiresAt - now <= SOON_MS ? "expires soon" : "active";
}

/** Known, each once, in the specification's order. */
export function requirePermissions(texts: readonly string[]): Permission[] {
  const wanted = texts.map((text) => text.trim()).filter((text) => text !== "");
  const all = `The permissions are ${PERMISSIONS.join(", ")}.`;
  for (const text of wanted) {
    if (isPermission(text)) continue;
    const nearest = findNearestName(text, PERMISSIONS);
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    throw new AccessError(`There is no permission "${printableName(text)}".${hint} ${all}`);
  }
  if (wanted.length === 0) throw new AccessError(`A key needs at least one permission. ${all}`);
  return PERMISSIONS.filter((permission) => wanted.includes(permission));
}

function refuseToRotate(key: ApiKey, now: number): void {
  if (key.revokedAt !== null) {
    throw new AccessError(`${key.id} is revoked and has no use to pass on. Make a new key with "lineup key create".`);
  }
  if (key.successorId !== null) {
    throw new AccessError(`${key.id} was rotated already; its successor is ${key.successorId}. Rotate that one.`);
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new AccessError(
      `${key.id} has expired, and so would its successor. Make a new key with "lineup key create".`,
    );
  }
}

/** A person by their id, whatever they are called later; anything else by its name. */
function makerOf({ kind, id, name }: Origin): string {
  return kind === "user" && id !== null ? id : name;
}

function entryOf(action: string, key: ApiKey, at: number, changes: FieldChanges): AuditEntry {
  return { at, action, target: { kind: "key", id: key.id, name: key.name }, changes };
}

/** Never the key itself, nor its hash. */
function recordedFields({ name, shownPrefix, permissions, expiresAt }: ApiKey) {
  return { name, shownPrefix, permissions, expiresAt };
}

type NewKey = Pick<ApiKey, "orgId" | "name" | "permissions" | "expiresAt" | "createdBy">;

async function insertKey(operator: Operator, wanted: NewKey, now: number): Promise<MadeKey> {
  const key = makeKey();
  const row = {
    id: makeId("key"),
    org_id: wanted.orgId,
    name: wanted.name,
    hash: hashKey(key),
    shown_prefix: shownPrefixOf(key),
    permissions: JSON.stringify(wanted.permissions),
    expires_at: wanted.expiresAt,
    revoked_at: null,
    successor_id: null,
    created_by: wanted.createdBy,
    created_at: now,
    updated_at: now,
  } satisfies Insertable<ApiKeysTable>;
  await operator.insertInto("api_keys").values(row).execute();
  return { ...fromRow(row), key };
}

/** In the store, or in a transaction. */
export async function findKey({ operator }: Pick<Store, "operator">, keyId: string): Promise<ApiKey | undefined> {
  if (!isIdOf("key", keyId)) return undefined;
  const row = await operator.selectFrom("api_keys").selectAll().where("id", "=", keyId).executeTakeFirst();
  return row === undefined ? undefined : fromRow(row);
}

export async function requireKey({ operator }: Pick<Store, "operator">, keyId: string): Promise<ApiKey> {
  if (keyId.includes(KEY_PREFIX)) {
    throw new AccessError(
      "That is a key itself, or a part of one, where the key's id belongs (key_…). " +
        'Find the id with "lineup key list"; and since the key now stands in your shell\'s history, consider rotating it.',
    );
  }
  const key = await findKey({ operator }, keyId);
  if (key !== undefined) return key;
  throw new AccessError(
    `There is no key "${printableName(keyId)}". "lineup key list --org ORG" shows the ids (key_…).`,
  );
}

function fromRow(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    shownPrefix: row.shown_prefix,
    permissions: parsePermissions(row.permissions),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    successorId: row.successor_id,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
