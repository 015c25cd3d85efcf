/** Statements whose every row contradicts what a store promises. Their first column names the record. */
import { RESOURCES } from "@lineup/api/endpoints";
import { ENGINE } from "./test-store.ts";

/** All that the two databases say differently here. */
const JSON_TEXT = {
  sqlite: {
    member: (text: string, name: string) => `${text} ->> ('$."' || ${name} || '"')`,
    members: (text: string) => `json_each(${text})`,
  },
  postgres: {
    member: (text: string, name: string) => `${text}::json ->> ${name}`,
    members: (text: string) => `json_each_text(${text}::json)`,
  },
}[ENGINE];

const KINDS = Object.fromEntries(
  RESOURCES.filter(({ externalIds }) => externalIds !== false).map(({ table, kind }) => [table, kind]),
);

/** Of all stores, no matter who wrote them. */
export const CONTRADICTIONS: Readonly<Record<string, string>> = {
  "players whose open assignments are not exactly their team and role": `
    SELECT players.id FROM players
    LEFT JOIN assignments ON assignments.org_id = players.org_id AND assignments.player_id = players.id AND left_at IS NULL
    GROUP BY players.org_id, players.id
    HAVING count(assignments.id) <> CASE WHEN players.team_id IS NULL THEN 0 ELSE 1 END
      OR (players.team_id IS NOT NULL AND (max(assignments.team_id) <> players.team_id OR max(assignments.role) <> players.role))`,
  "teams that count other than their open assignments": `
    SELECT teams.id FROM teams WHERE player_count <> (SELECT count(*) FROM assignments
      WHERE assignments.org_id = teams.org_id AND assignments.team_id = teams.id AND left_at IS NULL)`,
  "external ids that no record shows": `
    SELECT record_id FROM external_ids WHERE NOT EXISTS (
      SELECT 1 FROM (${Object.keys(KINDS)
        .map((table) => `SELECT org_id, id, external_ids AS shown FROM ${table}`)
        .join(" UNION ALL ")}) AS records
      WHERE records.org_id = external_ids.org_id AND records.id = external_ids.record_id
        AND ${JSON_TEXT.member("records.shown", "external_ids.system")} = external_ids.external_id)`,
  "shown external ids that are not kept": Object.entries(KINDS)
    .map(
      ([table, kind]) => `
    SELECT ${table}.id FROM ${table}, ${JSON_TEXT.members(`${table}.external_ids`)} AS shown WHERE NOT EXISTS (
      SELECT 1 FROM external_ids WHERE external_ids.org_id = ${table}.org_id AND external_ids.kind = '${kind}'
        AND external_ids.record_id = ${table}.id AND system = shown.key AND external_id = shown.value)`,
    )
    .join(" UNION ALL "),
};

/** Of stores in which only requests have written players and prospects. */
export const CONTRADICTIONS_OF_CHANGES: Readonly<Record<string, string>> = {
  "records without exactly one entry that made them": `
    SELECT records.id FROM (SELECT org_id, id FROM players UNION ALL SELECT org_id, id FROM prospects) AS records
    WHERE 1 <> (SELECT count(*) FROM audit
      WHERE audit.org_id = records.org_id AND audit.target_id = records.id
        AND action IN ('player.created', 'prospect.created'))`,
  "records whose last entry is not when they say": `
    SELECT records.id FROM (SELECT org_id, id, updated_at FROM players
      UNION ALL SELECT org_id, id, updated_at FROM prospects) AS records
    WHERE updated_at <> (SELECT max(at) FROM audit
      WHERE audit.org_id = records.org_id AND audit.target_id = records.id)`,
  "entries about records that are not there": `
    SELECT target_id AS id FROM audit WHERE target_kind IN ('player', 'prospect')
      AND target_id NOT IN (SELECT id FROM players UNION ALL SELECT id FROM prospects)`,
  "chains that do not count their entries": `
    SELECT audit_heads.org_id AS id FROM audit_heads
    WHERE count <> (SELECT count(*) FROM audit WHERE audit.org_id = audit_heads.org_id)
      OR count <> (SELECT COALESCE(max(seq), 0) FROM audit WHERE audit.org_id = audit_heads.org_id)`,
};
