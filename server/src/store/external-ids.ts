/** Ids of records in other systems: a pair of system and id belongs to one record of a kind in an organization. */
import { RESOURCES } from "@lineup/api/endpoints";
import type { ErrorDetail } from "@lineup/api/errors";
import { EXTERNAL_IDS_MAX } from "@lineup/api/fields";
import { isIdOf } from "@lineup/api/ids";
import type { ExternalIdRef } from "@lineup/api/parameters";
import { type RawBuilder, sql } from "kysely";
import { type OrgStore, prepareQuery } from "./org-store.ts";
import type { ExternalIdKind, RecordTable } from "./schema.ts";

/** The system under which imported files name their records. */
export const IMPORT_SYSTEM = "import";

const TABLES = Object.fromEntries(RESOURCES.map(({ kind, table }) => [kind, table])) as Record<
  ExternalIdKind,
  RecordTable
>;

export type ExternalIds = Readonly<Record<string, string>>;
export type ExternalIdsPatch = Readonly<Record<string, string | null>>;

/** What the ids will be; a null removes a system. */
export function mergeExternalIds(current: ExternalIds, patch: ExternalIdsPatch): ExternalIds {
  const merged = new Map(Object.entries(current));
  for (const [system, id] of Object.entries(patch)) {
    if (id === null) merged.delete(system);
    else merged.set(system, id);
  }
  return Object.fromEntries(merged);
}

/** What forbids a record (undefined: a new one) from having these ids: too many, or one that another record holds. */
export async function findExternalIdFaults(
  org: OrgStore,
  kind: ExternalIdKind,
  recordId: string | undefined,
  ids: ExternalIds,
): Promise<ErrorDetail[]> {
  const pairs = Object.entries(ids);
  if (pairs.length > EXTERNAL_IDS_MAX) {
    return [{ field: "externalIds", message: `must have at most ${EXTERNAL_IDS_MAX} systems` }];
  }
  const faults: ErrorDetail[] = [];
  for (const [system, id] of pairs) {
    const [known] = await org.run(selectHolder, { kind, system, id });
    const holder = known?.record_id ?? (await findRecordOfThatName(org, kind, system, id));
    if (holder !== undefined && holder !== recordId) {
      faults.push({
        field: `externalIds.${system}`,
        message: `belongs to another ${kind} already; update that one, or send another id`,
      });
    }
  }
  return faults;
}

/** A record without a name in files goes there by its own id, so no other may take that for its name. */
async function findRecordOfThatName(
  org: OrgStore,
  kind: ExternalIdKind,
  system: string,
  id: string,
): Promise<string | undefined> {
  if (system !== IMPORT_SYSTEM || !isIdOf(kind, id)) return undefined;
  const row = await org
    .selectFrom(TABLES[kind] as "players")
    .select("id")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.id;
}

const selectHolder = prepareQuery((org, { kind, system, id }: { kind: ExternalIdKind; system: string; id: string }) =>
  org
    .selectFrom("external_ids")
    .select("external_ids.record_id")
    .where("external_ids.kind", "=", kind)
    .where("external_ids.system", "=", system)
    .where("external_ids.external_id", "=", id),
);

/** Brings the pairs of one record in line with what it shows. */
export async function saveExternalIds(
  org: OrgStore,
  kind: ExternalIdKind,
  recordId: string,
  before: ExternalIds,
  after: ExternalIds,
): Promise<void> {
  const gone = Object.keys(before).filter((system) => before[system] !== after[system]);
  if (gone.length > 0) {
    await org
      .deleteFrom("external_ids")
      .where("kind", "=", kind)
      .where("record_id", "=", recordId)
      .where("system", "in", gone)
      .execute();
  }
  const added = Object.entries(after).filter(([system, id]) => before[system] !== id);
  if (added.length === 0) return;
  const rows = added.map(([system, id]) => ({ kind, system, external_id: id, record_id: recordId }));
  await org.insertInto("external_ids", rows).execute();
}

/** A filter: the record whose id column this is has any of these ids elsewhere. */
export function hasExternalId(
  org: OrgStore,
  kind: ExternalIdKind,
  idColumn: string,
  refs: readonly ExternalIdRef[],
): RawBuilder<boolean> {
  const pairs = refs.map((ref) => sql`(external_ids.system = ${ref.system} and external_ids.external_id = ${ref.id})`);
  const matching = org
    .selectFrom("external_ids")
    .select("external_ids.record_id")
    .where("external_ids.kind", "=", kind)
    .where(sql<boolean>`(${sql.join(pairs, sql` or `)})`);
  return sql<boolean>`${sql.ref(idColumn)} in (${matching})`;
}
