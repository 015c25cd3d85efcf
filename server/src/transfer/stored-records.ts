/** Finds and loads stored records in bulk: a few hundred with each query, and a breath for others between them. */
import { setImmediate as breathe } from "node:timers/promises";
import { isIdOf } from "@lineup/api/ids";
import type { AssignmentRow } from "../resources/roster/roster-rules.ts";
import { IMPORT_SYSTEM } from "../store/external-ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import { storedOf } from "../store/record-rows.ts";
import type { ExternalIdKind } from "../store/schema.ts";
import { type AnyRecord, type RecordByTable, type RecordTable, resourceOf, type TableName } from "./tables.ts";

const BATCH = 500;
const PAGE = 1_000;

/** A record as it is stored, with its name in files. */
export interface StoredFields {
  readonly id: string;
  readonly importName: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** All records of a table, in order of creation. */
export async function* readPages(org: OrgStore, table: TableName): AsyncGenerator<StoredFields[]> {
  const resource = resourceOf(table);
  for (let last = ""; ; ) {
    const rows = await org
      // The tables of records share the columns that are used here, which a union of tables hides from Kysely.
      .selectFrom(resource.table as "players")
      .selectAll()
      .where("id", ">", last)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    const stored = rows.map((row: object) => (table === "roster" ? row : storedOf(resource, row as never)));
    if (rows.length > 0) yield stored.map((one) => storedFieldsOf(one as AnyRecord | AssignmentRow));
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.id ?? last;
    await breathe();
  }
}

/** An assignment's name is in its row alone, that of any other record among its ids. */
export function storedFieldsOf(stored: AnyRecord | AssignmentRow): StoredFields {
  if ("import_id" in stored) {
    return { id: stored.id, importName: stored.import_id, fields: { ...storedOf(resourceOf("roster"), stored) } };
  }
  return { id: stored.id, importName: stored.externalIds[IMPORT_SYSTEM] ?? null, fields: { ...stored } };
}

export async function* batchesOf<T>(items: Iterable<T>, size = BATCH): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    await breathe();
  }
  if (batch.length > 0) yield batch;
}

/** The ids of the records that files call by these names: by their name in files, else by their own id. */
export async function findRecordIds(
  org: OrgStore,
  table: RecordTable,
  names: readonly string[] | ReadonlySet<string>,
): Promise<Map<string, string>> {
  const { kind } = resourceOf(table);
  const found = await findByExternalId(org, kind, IMPORT_SYSTEM, names);
  const ids = new Set<string>();
  for (const name of names) if (!found.has(name) && isIdOf(kind, name)) ids.add(name);
  for await (const batch of batchesOf(ids)) {
    const stored = org.selectFrom(resourceOf(table).table as "players").select("id");
    for (const { id } of await stored.where("id", "in", batch).execute()) found.set(id, id);
  }
  return found;
}

/** Which records of a kind have these ids in another system: id there → id here. */
export async function findByExternalId(
  org: OrgStore,
  kind: ExternalIdKind,
  system: string,
  externalIds: Iterable<string>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const batch of batchesOf(externalIds)) {
    const rows = await org
      .selectFrom("external_ids")
      .select(["external_ids.external_id", "external_ids.record_id"])
      .where("external_ids.kind", "=", kind)
      .where("external_ids.system", "=", system)
      .where("external_ids.external_id", "in", batch)
      .execute();
    for (const row of rows) found.set(row.external_id, row.record_id);
  }
  return found;
}

export async function loadRecords<N extends RecordTable>(
  org: OrgStore,
  table: N,
  ids: Iterable<string>,
): Promise<Map<string, RecordByTable[N]>> {
  const resource = resourceOf(table);
  const records = new Map<string, RecordByTable[N]>();
  for await (const batch of batchesOf(ids)) {
    const rows = await org
      .selectFrom(resource.table as "players")
      .selectAll()
      .where("id", "in", batch)
      .execute();
    for (const row of rows) records.set(row.id, storedOf(resource, row as never) as unknown as RecordByTable[N]);
  }
  return records;
}

/** The players of these teams, in order of creation. */
export async function loadPlayersOfTeams(org: OrgStore, teamIds: Iterable<string>) {
  const players: { id: string; ign: string; role: string; team_id: string | null }[] = [];
  for await (const batch of batchesOf(teamIds)) {
    const query = org.selectFrom("players").select(["players.id", "players.ign", "players.role", "players.team_id"]);
    players.push(...(await query.where("players.team_id", "in", batch).orderBy("players.id").execute()));
  }
  return players;
}

/** Every assignment of these players, in order of creation. */
export async function loadAssignmentsOfPlayers(
  org: OrgStore,
  playerIds: Iterable<string>,
): Promise<Map<string, AssignmentRow[]>> {
  const byPlayer = new Map<string, AssignmentRow[]>();
  for await (const batch of batchesOf(playerIds)) {
    const query = org.selectFrom("assignments").selectAll("assignments").where("assignments.player_id", "in", batch);
    const rows = await query.execute();
    const inOrder = rows.map(({ org_id: _, ...row }) => row).sort((a, b) => (a.id < b.id ? -1 : 1));
    // A player is in one batch alone.
    for (const [id, assignments] of Map.groupBy(inOrder, (row) => row.player_id)) byPlayer.set(id, assignments);
  }
  return byPlayer;
}

export type AssignmentName = Pick<AssignmentRow, "id" | "player_id">;

/** The assignments that files call by these names: by their name in files, else by their own id. */
export async function findAssignments(org: OrgStore, names: Iterable<string>): Promise<Map<string, AssignmentName>> {
  const found = new Map<string, AssignmentName>();
  const columns = ["assignments.id", "assignments.player_id", "assignments.import_id"] as const;
  const select = () => org.selectFrom("assignments").select(columns);
  for await (const batch of batchesOf(names)) {
    for (const { import_id, ...row } of await select().where("assignments.import_id", "in", batch).execute()) {
      if (import_id !== null) found.set(import_id, row);
    }
    const ids = batch.filter((name) => !found.has(name) && isIdOf("assignment", name));
    if (ids.length === 0) continue;
    for (const { import_id: _, ...row } of await select().where("assignments.id", "in", ids).execute()) {
      found.set(row.id, row);
    }
  }
  return found;
}
