/**
 * Looks into a store's file for anything that is half there: a page that is damaged, a reference that leads nowhere, a
 * count, an assignment, an external id or a record of change that does not agree with what it stands for.
 */
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { STORE_FILE } from "../../src/store/sqlite.ts";

const CONTRADICTIONS: Readonly<Record<string, string>> = {
  "players whose open assignments are not exactly their team and role": `
    SELECT players.id FROM players
    LEFT JOIN assignments ON assignments.org_id = players.org_id AND assignments.player_id = players.id AND left_at IS NULL
    GROUP BY players.org_id, players.id
    HAVING count(assignments.id) <> (players.team_id IS NOT NULL)
      OR (players.team_id IS NOT NULL AND (max(assignments.team_id) <> players.team_id OR max(assignments.role) <> players.role))`,
  "teams that count other than their open assignments": `
    SELECT teams.id FROM teams WHERE player_count <> (SELECT count(*) FROM assignments
      WHERE assignments.org_id = teams.org_id AND assignments.team_id = teams.id AND left_at IS NULL)`,
  "external ids of records that no table shows": externalIdsWithout("players", "player"),
  "external ids of prospects that no table shows": externalIdsWithout("prospects", "prospect"),
  "external ids that no record shows": `
    SELECT record_id FROM external_ids WHERE NOT EXISTS (
      SELECT 1 FROM (SELECT org_id, id, external_ids AS shown FROM players
        UNION ALL SELECT org_id, id, external_ids FROM prospects
        UNION ALL SELECT org_id, id, external_ids FROM teams) AS records
      WHERE records.org_id = external_ids.org_id AND records.id = external_ids.record_id
        AND records.shown ->> ('$."' || external_ids.system || '"') = external_ids.external_id)`,
  "records without exactly one change that made them": `
    SELECT records.id FROM (SELECT org_id, id FROM players UNION ALL SELECT org_id, id FROM prospects) AS records
    WHERE 1 <> (SELECT count(*) FROM changes
      WHERE changes.org_id = records.org_id AND changes.record_id = records.id AND action = 'create')`,
  "records whose last change is not when they say": `
    SELECT records.id FROM (SELECT org_id, id, updated_at FROM players
      UNION ALL SELECT org_id, id, updated_at FROM prospects) AS records
    WHERE updated_at <> (SELECT max(at) FROM changes
      WHERE changes.org_id = records.org_id AND changes.record_id = records.id)`,
  "changes of records that are not there": `
    SELECT record_id FROM changes WHERE record_id NOT IN (SELECT id FROM players UNION ALL SELECT id FROM prospects)`,
};

function externalIdsWithout(table: string, kind: string): string {
  return `
    SELECT ${table}.id FROM ${table}, json_each(${table}.external_ids) AS shown WHERE NOT EXISTS (
      SELECT 1 FROM external_ids WHERE external_ids.org_id = ${table}.org_id AND external_ids.kind = '${kind}'
        AND external_ids.record_id = ${table}.id AND system = shown.key AND external_id = shown.value)`;
}

/** Everything that contradicts itself, in words; an empty list is a sound store. */
export function findContradictions(dataDir: string): string[] {
  return readStore(dataDir, (database) => {
    const found: string[] = [];
    const integrity = database.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") found.push(`integrity_check: ${integrity}`);
    const dangling = database.pragma("foreign_key_check") as unknown[];
    if (dangling.length > 0) found.push(`foreign_key_check: ${JSON.stringify(dangling.slice(0, 3))}`);
    for (const [what, query] of Object.entries(CONTRADICTIONS)) {
      const rows = database.prepare(query).pluck().all();
      if (rows.length > 0) found.push(`${what}: ${rows.slice(0, 3).join(", ")} (${rows.length})`);
    }
    return found;
  });
}

/** How many changes an organization's data has seen, by its revision and by the record of changes. */
export function countChanges(
  dataDir: string,
  orgId: string,
): { readonly byRevision: number; readonly byRecord: number } {
  return readStore(dataDir, (database) => ({
    byRevision: database.prepare("SELECT revision FROM organizations WHERE id = ?").pluck().get(orgId) as number,
    byRecord: database.prepare("SELECT count(*) FROM changes WHERE org_id = ?").pluck().get(orgId) as number,
  }));
}

function readStore<T>(dataDir: string, work: (database: Database) => T): T {
  const database = new Sqlite(join(dataDir, STORE_FILE), { readonly: true, timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
