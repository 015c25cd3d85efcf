/**
 * Erases a person: all their records go, and with them every value about them that the store or its audit log has. That they are gone is one
 * transaction. What lies elsewhere, in the request log and in free pages, is swept afterwards (sweep.ts), also by a later process
 * where this one is ended in between. What was erased is listed by id, so that an older backup does not bring it back.
 */
import { ApiError } from "@lineup/api/errors";
import { playerRules } from "../resources/players/player-writes.ts";
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
const IDS_A_STATEMENT = 500;

/** What an erasure would take, or has taken. */
export interface Erasure {
  /** The player and the prospects that are this person, as they are called. */
  readonly people: readonly { readonly kind: "player" | "prospect"; readonly id: string; readonly name: string }[];
  /** How many of their assignments and contracts go along. */
  readonly assignments: number;
  readonly contracts: number;
}

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
      const tombstones = await deleteAll(org, person, now);
      await blank(ids);
      await forgetAnswers(org, ids);
      await listErased(org, ids, sought, now);
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

async function listPresent(org: OrgStore, table: "players" | "prospects", ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await org.selectFrom(table).select(`${table}.id`).where(`${table}.id`, "in", ids).execute();
  return rows.map(({ id }) => id);
}

/** What writes under an `Idempotency-Key` were answered with. */
async function forgetAnswers(org: OrgStore, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_A_STATEMENT) {
    const some = ids.slice(from, from + IDS_A_STATEMENT);
    await org.deleteFrom("idempotent_writes").where("record_id", "in", some).execute();
  }
}

async function listErased(org: OrgStore, ids: readonly string[], sought: readonly string[], at: number): Promise<void> {
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
  const people: Erasure["people"][number][] = [];
  for (const [kind, table] of [
    ["player", "players"],
    ["prospect", "prospects"],
  ] as const) {
    const ids = person.list(kind);
    if (ids.length === 0) continue;
    const rows = await org
      .selectFrom(table)
      .select([`${table}.id`, `${table}.ign`])
      .where(`${table}.id`, "in", ids)
      .execute();
    people.push(...rows.map(({ id, ign }) => ({ kind, id, name: ign })));
  }
  if (!people.some(({ id }) => id === recordId)) {
    throw new ApiError(
      "NOT_FOUND",
      "No player or prospect has this id. Look it up in the lists, or in the list of what was erased.",
    );
  }
  return {
    people,
    assignments: await count(org, person, "assignments"),
    contracts: await count(org, person, "contracts"),
  };
}

async function count(org: OrgStore, person: Person, table: "assignments" | "contracts"): Promise<number> {
  const players = person.list("player");
  if (players.length === 0) return 0;
  return org.countRows(org.selectFrom(table).select(`${table}.id`).where(`${table}.player_id`, "in", players));
}
