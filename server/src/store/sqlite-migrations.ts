/**
 * The embedded store's schema, as numbered steps that only go forward. `PRAGMA user_version` holds the number of the last
 * one taken. A step that has been released is never edited; a change of mind is a new step. What a step says stands in it
 * whole, and is not taken from the code of today: a value added to a list later needs a step of its own.
 *
 * Every record's key begins with its organization, and so does every reference: the database itself refuses a player
 * in another organization's team.
 */
import { dashboardStep } from "./sqlite-dashboard-step.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

function among(column: string, values: readonly string[]): string {
  return `CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`;
}

const RECORD = `
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL CHECK (updated_at >= created_at)`;

const EXTERNAL_IDS = "external_ids TEXT NOT NULL DEFAULT '{}' CHECK (json_type(external_ids) = 'object')";

const organizations = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
INSERT INTO settings (name, value) VALUES ('access_revision', 1);

CREATE TABLE organizations (
  id TEXT PRIMARY KEY CHECK (id LIKE 'org\\_%' ESCAPE '\\'),
  name TEXT NOT NULL CHECK (name <> ''),
  tier TEXT NOT NULL ${among("tier", ["Free", "Basic", "Pro", "Enterprise"])},
  revision INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX organizations_by_name ON organizations (name);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY CHECK (id LIKE 'key\\_%' ESCAPE '\\'),
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  shown_prefix TEXT NOT NULL CHECK (length(shown_prefix) <= 16),
  permissions TEXT NOT NULL CHECK (json_array_length(permissions) >= 1),
  expires_at INTEGER,
  revoked_at INTEGER,
  successor_id TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_org ON api_keys (org_id, id);
`;

const people = `
CREATE TABLE teams (${RECORD},
  name TEXT NOT NULL CHECK (name <> ''),
  tag TEXT,
  game TEXT NOT NULL ${among("game", ["LoL", "Valorant", "CS2", "Other"])},
  division TEXT NOT NULL ${among("division", ["main", "academy", "other"])},
  region TEXT,
  logo_url TEXT,
  status TEXT NOT NULL ${among("status", ["active", "inactive"])},
  player_count INTEGER NOT NULL DEFAULT 0 CHECK (player_count >= 0),
  ${EXTERNAL_IDS},
  search_text TEXT NOT NULL,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE players (${RECORD},
  ign TEXT NOT NULL CHECK (ign <> ''),
  real_name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role <> ''),
  team_id TEXT,
  contract_status TEXT NOT NULL ${among("contract_status", ["unsigned", "in_negotiation", "active", "expired", "terminated"])},
  join_date INTEGER NOT NULL,
  status TEXT NOT NULL ${among("status", ["active", "benched", "inactive"])},
  nationality TEXT CHECK (length(nationality) = 2),
  image_url TEXT,
  stats TEXT CHECK (stats IS NULL OR json_type(stats) = 'object'),
  ${EXTERNAL_IDS},
  search_text TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX players_by_team ON players (org_id, team_id);
CREATE INDEX players_by_update ON players (org_id, updated_at);

CREATE TABLE assignments (${RECORD},
  player_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role <> ''),
  kind TEXT NOT NULL ${among("kind", ["player", "staff"])},
  is_starter INTEGER NOT NULL CHECK (is_starter IN (0, 1)),
  is_captain INTEGER NOT NULL CHECK (is_captain IN (0, 1)),
  joined_at INTEGER NOT NULL,
  left_at INTEGER CHECK (left_at >= joined_at),
  import_id TEXT,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, player_id) REFERENCES players (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX assignments_by_player ON assignments (org_id, player_id);
CREATE INDEX assignments_by_team ON assignments (org_id, team_id);
CREATE UNIQUE INDEX one_open_assignment_per_player ON assignments (org_id, player_id) WHERE left_at IS NULL;
CREATE UNIQUE INDEX assignments_by_import_id ON assignments (org_id, import_id) WHERE import_id IS NOT NULL;
`;

const planning = `
CREATE TABLE schedule_entries (${RECORD},
  kind TEXT NOT NULL ${among("kind", ["match", "scrim", "practice", "event"])},
  title TEXT NOT NULL CHECK (title <> ''),
  team_id TEXT,
  game TEXT NOT NULL ${among("game", ["LoL", "Valorant", "CS2", "Other"])},
  status TEXT NOT NULL ${among("status", ["scheduled", "live", "completed", "postponed", "cancelled"])},
  starts_at INTEGER NOT NULL,
  ends_at INTEGER CHECK (ends_at >= starts_at),
  previous_starts_at INTEGER,
  timezone TEXT,
  opponent TEXT,
  competition TEXT,
  stage TEXT,
  best_of INTEGER CHECK (best_of % 2 = 1),
  location TEXT,
  stream_url TEXT,
  result_own INTEGER,
  result_opponent INTEGER,
  ${EXTERNAL_IDS},
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id),
  CHECK ((result_own IS NULL) = (result_opponent IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX schedule_entries_by_start ON schedule_entries (org_id, starts_at, id);
CREATE INDEX schedule_entries_by_team ON schedule_entries (org_id, team_id);

CREATE TABLE prospects (${RECORD},
  ign TEXT NOT NULL CHECK (ign <> ''),
  real_name TEXT NOT NULL,
  game TEXT NOT NULL ${among("game", ["LoL", "Valorant", "CS2", "Other"])},
  role TEXT,
  stage TEXT NOT NULL ${among("stage", ["identified", "contacted", "trial", "offered", "signed", "rejected"])},
  stage_changed_at INTEGER NOT NULL,
  priority TEXT NOT NULL ${among("priority", ["low", "medium", "high"])},
  rating REAL CHECK (rating BETWEEN 0 AND 10),
  current_team TEXT,
  nationality TEXT,
  region TEXT,
  source TEXT,
  assigned_to TEXT,
  notes TEXT,
  target_team_id TEXT,
  player_id TEXT,
  contract_end_date INTEGER,
  last_contact_at INTEGER,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_type(tags) = 'array'),
  ${EXTERNAL_IDS},
  search_text TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, target_team_id) REFERENCES teams (org_id, id),
  FOREIGN KEY (org_id, player_id) REFERENCES players (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX prospects_by_update ON prospects (org_id, updated_at);

CREATE TABLE contracts (${RECORD},
  player_id TEXT NOT NULL,
  team_id TEXT,
  kind TEXT NOT NULL ${among("kind", ["player", "staff", "trial", "loan"])},
  status TEXT NOT NULL ${among("status", ["draft", "pending", "active", "expired", "terminated"])},
  start_date INTEGER NOT NULL,
  end_date INTEGER CHECK (end_date >= start_date),
  signed_at INTEGER,
  terminated_at INTEGER,
  auto_renew INTEGER NOT NULL CHECK (auto_renew IN (0, 1)),
  notice_period_days INTEGER CHECK (notice_period_days >= 0),
  ${EXTERNAL_IDS},
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, player_id) REFERENCES players (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX contracts_by_player ON contracts (org_id, player_id);
CREATE INDEX contracts_by_end ON contracts (org_id, end_date, id);
`;

const records = `
CREATE TABLE external_ids (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL ${among("kind", ["player", "team", "event", "prospect", "contract"])},
  system TEXT NOT NULL CHECK (system <> ''),
  external_id TEXT NOT NULL CHECK (external_id <> ''),
  record_id TEXT NOT NULL,
  PRIMARY KEY (org_id, kind, system, external_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX external_ids_by_record ON external_ids (org_id, kind, record_id, system);

CREATE TABLE changes (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL ${among("action", ["create", "update"])},
  kind TEXT NOT NULL,
  record_id TEXT NOT NULL,
  fields TEXT CHECK (fields IS NULL OR json_type(fields) = 'object'),
  note TEXT
) STRICT;
CREATE INDEX changes_by_record ON changes (org_id, record_id, at);
`;

/**
 * What SQLite takes for granted about sizes: about 100,000 players in an organization. Without it, it thinks that an
 * organization has ten rows of anything, looks at all of them and never at an index that narrows them down.
 * The numbers are rows in all, then rows for each further column of the index that is known.
 */
const SIZES: readonly (readonly [table: string, index: string, numbers: string])[] = [
  ["teams", "teams", "2000 1000 1"],
  ["players", "players", "200000 100000 1"],
  ["players", "players_by_team", "200000 100000 50"],
  ["players", "players_by_update", "200000 100000 20"],
  ["assignments", "assignments", "300000 150000 1"],
  ["assignments", "assignments_by_player", "300000 150000 3"],
  ["assignments", "assignments_by_team", "300000 150000 75"],
  ["assignments", "one_open_assignment_per_player", "200000 100000 1"],
  ["assignments", "assignments_by_import_id", "200000 100000 1"],
  ["schedule_entries", "schedule_entries", "40000 20000 1"],
  ["schedule_entries", "schedule_entries_by_start", "40000 20000 2 1"],
  ["schedule_entries", "schedule_entries_by_team", "40000 20000 100"],
  ["prospects", "prospects", "40000 20000 1"],
  ["prospects", "prospects_by_update", "40000 20000 20"],
  ["contracts", "contracts", "200000 100000 1"],
  ["contracts", "contracts_by_player", "200000 100000 3"],
  ["contracts", "contracts_by_end", "200000 100000 20 1"],
  ["external_ids", "external_ids", "400000 200000 50000 50000 1"],
  ["external_ids", "external_ids_by_record", "400000 200000 50000 1 1"],
  ["changes", "changes_by_record", "1000000 500000 5 1"],
];

const sizes = `
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
${SIZES.map(([table, index, numbers]) => `  ('${table}', '${index}', '${numbers}')`).join(",\n")};
ANALYZE sqlite_schema;
`;

export const MIGRATIONS: readonly Migration[] = [
  { name: "organizations, keys and their data", sql: [organizations, people, planning, records, sizes].join("\n") },
  { name: "people, history and use", sql: dashboardStep },
];
