/**
 * Erases a person: all their records go, and with them every value about them that the store or its audit log has. That they are gone is one
 * transaction. What lies elsewhere, in the request log and in free pages, is swept afterwards (sweep.ts), also by a later process
 * where this one is ended in between. What was erased is listed by id, so that an older backup does not bring it back.
 */
import type { erasureSchema } from "@lineup/api/dashboard/erasure";
import { ApiError } from "@lineup/api/errors";
import type * as z from "zod";
import { eraseAnswers } from "../resources/idempotent-writes.ts";
import { playerRules } from "../resources/players/player-rules.ts";
import { prospectRules } from "../resources/prospects/prospect-rules.ts";
import { deleteRecord } from "../resources/record-writes.ts";
import { ERASED } from "../store/audit-chain.ts";
import type { AuditEntry, EntryFacts, Origin } from "../store/audit-entry.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { StoreError, UnprovenLog } from "../store/store-error.ts";
import { Person, type PersonKind } from "./person.ts";
import { hashSought } from "./sought-texts.ts";

const FACTS: EntryFacts = { reason: "erased" };

/** What an erasure would take, or has taken. */
export type Erasure = z.output<typeof erasureSchema>;

/** What erasing would take. */
export async function previewErasure(store: Store, orgId: string, recordId: string): Promise<Erasure> {
  const org = store.org(orgId);
  const person = new Person();
  await person.gather(org, [recordId]);
  return describe(org, person, recordId);
}

export async function erasePerson(
  store: Store,
  orgId: string,
  recordId: string,
  origin: Origin,
  now = Date.now(),
): Promise<Erasure> {
  const person = new Person();
  // Most of the search is done before anybody waits for it.
  await person.gather(store.org(orgId), [recordId]);
  return eraseGathered(store, orgId, person, origin, now, async (org) => {
    await person.gather(org, []);
    return describe(org, person, recordId);
  });
}

/** Erases what was erased before and has come back with an older state of the store, also where only the audit log still has it. */
export async function eraseAgain(
  store: Store,
  orgId: string,
  recordIds: readonly string[],
  origin: Origin,
  now = Date.now(),
): Promise<void> {
  const person = new Person();
  // The list has all records of the person, those that were deleted before among them.
  for (const id of recordIds) person.records.set(id, id.slice(0, id.indexOf("_")) as PersonKind);
  await eraseGathered(store, orgId, person, origin, now, async () => undefined);
}

/** `look` sees what there is before it goes, in the same transaction. */
async function eraseGathered<T>(
  store: Store,
  orgId: string,
  person: Person,
  origin: Origin,
  now: number,
  look: (org: OrgStore) => Promise<T>,
): Promise<T> {
  // A node of the version before may have added to the log since this one was started.
  await store.convertChains(origin, now, orgId);
  try {
    return await store.eraseInOrg(orgId, origin, async (org, blank) => {
      const looked = await look(org);
      const sought = await hashSought(store, org, person);
      const ids = [...person.records.keys()];
      const deleted = await deleteAll(org, person, now);
      const tombstones = [...deleted, ...(await makeTombstones(org, person, deleted, now))];
      await blank(ids);
      for (const batch of person.listBatches()) await eraseAnswers(org, batch);
      await noteErased(org, ids, sought, now);
      const [first = ""] = ids;
      const target = { kind: "person", id: first, name: null };
      await org.record([...tombstones, { at: now, action: ERASED, target, facts: { erased: ids } }]);
      return looked;
    });
  } catch (error) {
    if (!(error instanceof UnprovenLog)) throw error;
    throw new StoreError(
      `Nobody can be erased in ${orgId}: its audit log is not whole, and could not be proven without the values. ` +
        'Run "lineup audit verify", and mend the log from a backup; docs/people-and-audit.md says how.',
      { cause: error },
    );
  }
}

/** The entries that are left of them: that they are gone, and no value. */
async function deleteAll(org: OrgStore, person: Person, now: number): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const id of await listPresent(org, "prospects", person.list("prospect"))) {
    entries.push(...(await deleteRecord({ org, now }, prospectRules, id, undefined, FACTS)).entries);
  }
  for (const id of await listPresent(org, "players", person.list("player"))) {
    entries.push(...(await deleteRecord({ org, now }, playerRules, id, undefined, FACTS)).entries);
  }
  return entries.map((entry) => {
    const { at, action, target, facts } = entry;
    if (!person.records.has(target.id)) return entry;
    return { at, action, target: { ...target, name: null }, ...(facts === undefined ? {} : { facts }) };
  });
}

/** Who mirrors the data was told that these were deleted, and may have kept them in backups: now they are told that they were erased. */
async function makeTombstones(
  org: OrgStore,
  person: Person,
  deleted: readonly AuditEntry[],
  at: number,
): Promise<AuditEntry[]> {
  const told = new Set(deleted.filter(({ facts }) => facts?.reason === "erased").map(({ target }) => target.id));
  // One that an import has given to somebody else is still there.
  for (const id of await listPresent(org, "contracts", person.list("contract"))) told.add(id);
  for (const ids of person.listBatches()) {
    const before = org.selectFrom("erasures").select("erasures.record_id").where("erasures.record_id", "in", ids);
    for (const { record_id } of await before.execute()) told.add(record_id);
  }
  const untold = [...person.records].filter(([id]) => !told.has(id));
  return untold.map(([id, kind]) => ({
    at,
    action: `${kind}.deleted`,
    target: { kind, id, name: null },
    facts: FACTS,
  }));
}

async function listPresent(
  org: OrgStore,
  table: "players" | "prospects" | "contracts",
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await org.selectFrom(table).select(`${table}.id`).where(`${table}.id`, "in", ids).execute();
  return rows.map(({ id }) => id);
}

async function noteErased(org: OrgStore, ids: readonly string[], sought: readonly string[], at: number): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const row = { record_id: id, at, sought: index === 0 ? JSON.stringify(sought) : null, swept_at: null };
    await org
      .insertInto("erasures", [row])
      .onConflict((conflict) =>
        conflict.columns(["org_id", "record_id"]).doUpdateSet({ at, sought: row.sought, swept_at: null }),
      )
      .execute();
  }
}

async function describe(org: OrgStore, person: Person, recordId: string): Promise<Erasure> {
  const people: Erasure["people"] = [];
  for (const kind of ["player", "prospect"] as const) {
    for (const id of person.list(kind)) {
      const name = await findName(org, kind, id);
      if (name !== undefined) people.push({ kind, id, name });
    }
  }
  if (!people.some(({ id }) => id === recordId)) {
    throw new ApiError(
      "NOT_FOUND",
      "No player or prospect has this id, or had it until it was deleted. Look it up in the lists, in the audit log, or in the list of what was erased.",
    );
  }
  return {
    people,
    assignments: await count(org, person, "assignments"),
    contracts: await count(org, person, "contracts"),
  };
}

/** As they are called, or were when they were deleted; undefined where nobody has the id, or it was erased. */
export async function findName(org: OrgStore, kind: "player" | "prospect", id: string): Promise<string | undefined> {
  const table = `${kind}s` as const;
  const query = org.selectFrom(table).select(`${table}.ign`).where(`${table}.id`, "=", id);
  const present = await query.executeTakeFirst();
  if (present !== undefined) return present.ign;
  const told = await org
    .selectFrom("audit")
    .select("audit.target_name")
    .where("audit.target_id", "=", id)
    .where("audit.target_kind", "=", kind)
    .where("audit.target_name", "is not", null)
    .orderBy("audit.seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return told?.target_name ?? undefined;
}

async function count(org: OrgStore, person: Person, table: "assignments" | "contracts"): Promise<number> {
  const players = person.list("player");
  if (players.length === 0) return 0;
  return org.countRows(org.selectFrom(table).select(`${table}.id`).where(`${table}.player_id`, "in", players));
}
