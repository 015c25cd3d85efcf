/** Organizations as the operator keeps them. A name need not be unique; an id is, and commands take either. */
import { findTextFault, printableName, SHORT_TEXT_MAX } from "@lineup/api/fields";
import { findNearestName } from "@lineup/api/nearest-name";
import { DEFAULT_TIER, TIER_NAMES, type Tier } from "@lineup/api/tiers";
import type { Selectable } from "kysely";
import type { OrganizationsTable } from "../store/access-tables.ts";
import {
  type AuditEntry,
  changesFromNothing,
  type FieldChanges,
  findFieldChanges,
  INSTALLATION_CHAIN,
  type Origin,
} from "../store/audit-entry.ts";
import { EVENT_TABLES } from "../store/event-tables.ts";
import { makeId } from "../store/ids.ts";
import type { WritableTable } from "../store/org-store.ts";
import { RECORD_TABLES } from "../store/schema.ts";
import type { AccessRecording, Operator, OperatorTables, Store } from "../store/store.ts";

/** Why organizations or keys were left as they are, in words for the one who asked for the change. */
export class AccessError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AccessError";
  }
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** In the order in which rows can go: what refers to others before what it refers to. */
export const ORG_TABLES = [
  "calendar_links",
  ...EVENT_TABLES,
  "external_ids",
  ...RECORD_TABLES.toReversed(),
] as const satisfies readonly WritableTable[];

export interface WantedOrganization {
  readonly name: string;
  readonly tier?: string | undefined;
}

/** What else belongs to an organization, beside its audit log: who may do what, and how much its keys are used. */
export const ACCESS_TABLES = [
  "links",
  "members",
  "key_usage",
  "api_keys",
] as const satisfies readonly (keyof OperatorTables)[];

export async function createOrganization(
  store: Store,
  wanted: WantedOrganization,
  origin: Origin,
  now = Date.now(),
): Promise<Organization> {
  return store.writeAccess(origin, (operator, recording) => insertOrganization(operator, recording, wanted, now));
}

/** In a transaction of the caller's. */
export async function insertOrganization(
  operator: Operator,
  { beginChain, record }: AccessRecording,
  wanted: WantedOrganization,
  now: number,
): Promise<Organization> {
  const name = requireName("The organization's name", wanted.name);
  const tier = requireTier(wanted.tier ?? DEFAULT_TIER);
  const row = { id: makeId("org"), name, tier, revision: 1, created_at: now, updated_at: now };
  const organization = fromRow(row);
  await operator.insertInto("organizations").values(row).execute();
  const entry = entryOf("organization.created", organization, now, changesFromNothing({ name, tier }));
  // Told by the hash of its first entry, a chain cannot be begun anew.
  const firstHash = await beginChain(row.id, entry);
  await record(INSTALLATION_CHAIN, [{ ...entry, changes: { ...entry.changes, firstHash: [null, firstHash] } }]);
  return organization;
}

/** With how many keys each has, and how many of those are neither revoked nor expired. */
export async function listOrganizations(store: Store, now = Date.now()) {
  const rows = await store.operator
    .selectFrom("organizations")
    .leftJoin("api_keys", "api_keys.org_id", "organizations.id")
    .selectAll("organizations")
    .select(({ fn, eb }) => [
      fn.count<number>("api_keys.id").as("key_count"),
      fn
        .count<number>("api_keys.id")
        .filterWhere("api_keys.revoked_at", "is", null)
        .filterWhere(eb.or([eb("api_keys.expires_at", "is", null), eb("api_keys.expires_at", ">", now)]))
        .as("active_key_count"),
    ])
    .groupBy("organizations.id")
    .orderBy("organizations.id")
    .execute();
  return rows.map((row) => ({ ...fromRow(row), keyCount: row.key_count, activeKeyCount: row.active_key_count }));
}

export async function renameOrganization(
  store: Store,
  ref: string,
  newName: string,
  origin: Origin,
  now = Date.now(),
): Promise<Organization> {
  const name = requireName("The organization's name", newName);
  return change(store, ref, "organization.renamed", { name }, origin, now);
}

/** The new limits hold from the next request on; what was counted before still counts. */
export async function setTier(
  store: Store,
  ref: string,
  tierName: string,
  origin: Origin,
  now = Date.now(),
): Promise<Organization> {
  return change(store, ref, "tier.changed", { tier: requireTier(tierName) }, origin, now);
}

/** The organization, its keys, its members, its audit log and all of its data go together, or nothing does. */
export async function deleteOrganization(
  store: Store,
  ref: string,
  origin: Origin,
  now = Date.now(),
): Promise<Organization> {
  return store.writeAccess(origin, async (operator, { dataOf, removeChain, record }) => {
    const organization = await requireOrganization({ operator }, ref);
    // First of all: who is at work in it is waited for, whether they write its data or, as an invitation does, only refer to it.
    const row = operator.selectFrom("organizations").select("id").where("id", "=", organization.id);
    await (store.kind === "postgres" ? row.forUpdate() : row).execute();
    // As every writer of its data does, so that anyone who remembers something of it looks again, and finds nothing.
    await operator
      .updateTable("organizations")
      .set((eb) => ({ revision: eb("revision", "+", 1) }))
      .where("id", "=", organization.id)
      .execute();
    const data = dataOf(organization.id);
    for (const table of ORG_TABLES) await data.deleteFrom(table).execute();
    // An embedded store keeps the log of requests elsewhere.
    if (store.kind === "postgres") await data.deleteFrom("request_blocks").execute();
    for (const table of ACCESS_TABLES) {
      await operator.deleteFrom(table).where("org_id", "=", organization.id).execute();
    }
    const { count, hash } = await removeChain(organization.id);
    await operator.deleteFrom("organizations").where("id", "=", organization.id).execute();
    const changes: FieldChanges = {
      name: [organization.name, null],
      tier: [organization.tier, null],
      entries: [count, null],
      lastHash: [hash, null],
    };
    await record(INSTALLATION_CHAIN, [entryOf("organization.deleted", organization, now, changes)]);
    return organization;
  });
}

export function requireTier(name: string): Tier {
  const tier = TIER_NAMES.find((one) => one.toLowerCase() === name.trim().toLowerCase());
  if (tier !== undefined) return tier;
  throw new AccessError(`There is no tier "${printableName(name)}". Choose one of ${TIER_NAMES.join(", ")}.`);
}

/** The name as it is kept: trimmed, 1 to 200 characters, without control characters. */
export function requireName(what: string, name: string): string {
  const trimmed = name.trim();
  const fault = findTextFault(trimmed, 1, SHORT_TEXT_MAX);
  if (fault !== undefined) throw new AccessError(`${what} ${fault}. Give one of 1 to ${SHORT_TEXT_MAX} characters.`);
  return trimmed;
}

async function change(
  store: Store,
  ref: string,
  action: string,
  fields: { readonly name?: string; readonly tier?: Tier },
  origin: Origin,
  now: number,
): Promise<Organization> {
  return store.writeAccess(origin, async (operator, { record }) => {
    const organization = await requireOrganization({ operator }, ref);
    const updatedAt = Math.max(now, organization.updatedAt);
    await operator
      .updateTable("organizations")
      .set({ ...fields, updated_at: updatedAt })
      .where("id", "=", organization.id)
      .execute();
    const after = { ...organization, ...fields };
    const changes = findFieldChanges(organization, after);
    if (changes !== undefined) await record(organization.id, [entryOf(action, after, updatedAt, changes)]);
    return { ...after, updatedAt };
  });
}

function entryOf(action: string, { id, name }: Organization, at: number, changes: FieldChanges): AuditEntry {
  return { at, action, target: { kind: "organization", id, name }, changes };
}

/** In the store, or in a transaction. By id, or by exact name where one organization alone has it. */
export async function findOrganization(
  { operator }: Pick<Store, "operator">,
  ref: string,
): Promise<Organization | undefined> {
  // Not every database can even be asked for a text that none of them can hold.
  if (findTextFault(ref.trim(), 1, SHORT_TEXT_MAX) !== undefined) return undefined;
  const organizations = operator.selectFrom("organizations").selectAll();
  const byId = await organizations.where("id", "=", ref).executeTakeFirst();
  if (byId !== undefined) return fromRow(byId);
  const byName = await organizations.where("name", "=", ref.trim()).orderBy("id").execute();
  if (byName.length > 1) {
    const ids = byName.map((row) => row.id).join(", ");
    throw new AccessError(`${byName.length} organizations are named "${ref.trim()}": ${ids}. Say which by its id.`);
  }
  return byName[0] === undefined ? undefined : fromRow(byName[0]);
}

export async function requireOrganization({ operator }: Pick<Store, "operator">, ref: string): Promise<Organization> {
  const organization = await findOrganization({ operator }, ref);
  if (organization !== undefined) return organization;
  const names = await operator.selectFrom("organizations").select("name").orderBy("id").limit(1_000).execute();
  const nearest = findNearestName(
    ref,
    names.map(({ name }) => name),
  );
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new AccessError(
    `There is no organization "${printableName(ref)}".${hint} "lineup org list" shows those there are.`,
  );
}

function fromRow(row: Omit<Selectable<OrganizationsTable>, "revision">): Organization {
  return { id: row.id, name: row.name, tier: row.tier, createdAt: row.created_at, updatedAt: row.updated_at };
}
