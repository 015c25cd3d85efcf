/**
 * Holds what the audit log says against what is shown: between two looks at an organization, each record that is shown differently has one
 * entry, which names the fields that differ with what they were and are; no other record has any.
 */
import { isDeepStrictEqual } from "node:util";
import { RESOURCES } from "@lineup/api/endpoints";
import { selectContracts } from "../src/resources/contracts/contract-store.ts";
import { playerStore } from "../src/resources/players/player-store.ts";
import { prospectStore } from "../src/resources/prospects/prospect-store.ts";
import { rosterStore, selectEntries } from "../src/resources/roster/roster-store.ts";
import { scheduleStore } from "../src/resources/schedule/schedule-store.ts";
import { teamStore } from "../src/resources/teams/team-store.ts";
import type { Store } from "../src/store/store.ts";

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };
export interface Look {
  /** All six lists, past assignments included, by id. */
  readonly records: ReadonlyMap<string, Shown>;
  readonly seq: number;
}

export async function lookAt(store: Store, orgId: string, now: number): Promise<Look> {
  const org = store.org(orgId);
  const lists = [
    teamStore.list(org, {}),
    playerStore.list(org, {}),
    rosterStore.list(org, {}, { query: selectEntries(org) }),
    selectContracts(org, {}, now),
    scheduleStore.list(org, {}),
    prospectStore.list(org, {}),
  ];
  const records = new Map<string, Shown>();
  for (const list of lists) {
    for (const record of (await list.readPage(undefined)).items) records.set(record.id, record);
  }
  return { records, seq: (await org.readAuditEnd()).count };
}

/** What the entries since the first look get wrong; empty when they tell exactly what changed. */
export async function findUntold(store: Store, orgId: string, before: Look, after: Look): Promise<string[]> {
  const rows = await store
    .org(orgId)
    .selectFrom("audit")
    .select(["audit.action", "audit.target_id", "audit.changes", "audit.at", "audit.facts"])
    .where("audit.seq", ">", before.seq)
    .orderBy("audit.seq")
    .execute();
  const faults: string[] = [];
  const told = Map.groupBy(
    // What time alone makes of a contract is no write's to tell.
    rows.filter(({ target_id: id, action }) => KINDS.has(kindOf(id)) && !/\.expir(ing|ed)$/.test(action)),
    (row) => row.target_id,
  );
  for (const id of new Set([...before.records.keys(), ...after.records.keys(), ...told.keys()])) {
    const entries = told.get(id) ?? [];
    const expected = expectEntry(before.records.get(id), after.records.get(id));
    const changes = entries.map((row) => JSON.parse(row.changes ?? "{}") as Record<string, unknown>);
    const got = entries.map(({ action }, index) => ({ action: action.split(".")[1], changes: changes[index] }));
    if (!isDeepStrictEqual(got, expected === undefined ? [] : [expected])) {
      faults.push(`${id}: told ${JSON.stringify(got)}, shown ${JSON.stringify(expected)}`);
    }
    const updatedAt = after.records.get(id)?.updatedAt;
    if (entries.length === 1 && updatedAt !== undefined && entries[0]?.at !== updatedAt) {
      faults.push(`${id}: told at ${entries[0]?.at}, shown as changed at ${String(updatedAt)}`);
    }
  }
  return faults;
}

const KINDS = new Set<string>(RESOURCES.map(({ kind }) => kind));

function kindOf(id: string): string {
  return id.split("_")[0] ?? "";
}

function expectEntry(before: Shown | undefined, after: Shown | undefined) {
  if (before === undefined && after === undefined) return undefined;
  const resource = RESOURCES.find(({ kind }) => kind === kindOf(before?.id ?? after?.id ?? ""));
  const changes: Record<string, [unknown, unknown]> = {};
  for (const [name, one] of Object.entries<{ readonly source: string }>(resource?.fields ?? {})) {
    const isNew = before === undefined || after === undefined;
    // Of what comes or goes, what it shows of others is not said; what time works out is never.
    if (["id", "createdAt", "updatedAt"].includes(name) || one.source === "computed") continue;
    if (isNew && one.source !== "column") continue;
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    if (isNew ? !isOpen(was ?? is) : !isDeepStrictEqual(was, is)) changes[name] = [was, is];
  }
  if (before === undefined) return { action: "created", changes };
  if (after === undefined) return { action: "deleted", changes };
  const isSame = before.updatedAt === after.updatedAt && Object.keys(changes).length === 0;
  return isSame ? undefined : { action: "updated", changes };
}

function isOpen(value: unknown): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
