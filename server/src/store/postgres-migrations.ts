/**
 * The schema in PostgreSQL, as numbered steps that only go forward; `schema_steps` holds those taken. Table by table it is the
 * embedded store's: the same names, the same checks, texts in the order of their bytes whatever the database's locale, times and
 * counts in 64 bits. A step that has been released is never edited.
 *
 * Two roles, neither of which can sign in, own nothing and bypass nothing. Every transaction takes one of them. `lineup_tenant`
 * sees the rows of the one organization that its transaction has named, and no key: those it finds by their hash alone,
 * through one function. `lineup_operator` sees all; commands, backups and moves take it, requests never do. Row level security is
 * forced, so that whoever forgets to take a role sees nothing rather than everything.
 *
 * A change of an organization's revision, or of the revision of keys and tiers, is told to every node by the transaction that
 * makes it. Triggers do so, so that no writer can forget it.
 */
import { postgresDashboardStep } from "./postgres-dashboard-step.ts";
import { OPERATOR_ROLE, TENANT_ROLE } from "./postgres-roles.ts";
import { guard, TEXT } from "./postgres-row-guards.ts";
import type { Migration } from "./sqlite-migrations.ts";

export const SCHEMA = "lineup";
export const CHANGES_CHANNEL = "lineup_changes";

function among(column: string, values: readonly string[]): string {
  return `CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`;
}

const RECORD = `
  org_id ${TEXT} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id ${TEXT} NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL CHECK (updated_at >= created_at)`;

const EXTERNAL_IDS = `external_ids ${TEXT} NOT NULL DEFAULT '{}' CHECK (json_typeof(external_ids::json) = 'object')`;

const organizations = `
CREATE TABLE settings (name ${TEXT} PRIMARY KEY, value bigint NOT NULL);
INSERT INTO settings (name, value) VALUES ('access_revision', 1);

CREATE TABLE organizations (
  id ${TEXT} PRIMARY KEY CHECK (id LIKE 'org\\_%'),
  name ${TEXT} NOT NULL CHECK (name <> ''),
  tier ${TEXT} NOT NULL ${among("tier", ["Free", "Basic", "Pro", "Enterprise"])},
  revision bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX organizations_by_name ON organizations (name);

CREATE TABLE api_keys (
  id ${TEXT} PRIMARY KEY CHECK (id LIKE 'key\\_%'),
  org_id ${TEXT} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name ${TEXT} NOT NULL CHECK (name <> ''),
  hash ${TEXT} NOT NULL UNIQUE CHECK (length(hash) = 64),
  shown_prefix ${TEXT} NOT NULL CHECK (length(shown_prefix) <= 16),
  permissions ${TEXT} NOT NULL CHECK (json_array_length(permissions::json) >= 1),
  expires_at bigint,
  revoked_at bigint,
  successor_id ${TEXT},
  created_by ${TEXT} NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX api_keys_by_org ON api_keys (org_id, id);
`;

const people = `
CREATE TABLE teams (${RECORD},
  name ${TEXT} NOT NULL CHECK (name <> ''),
  tag ${TEXT},
  game ${TEXT} NOT NULL ${among("game", ["LoL", "Valorant", "CS2", "Other"])},
  division ${TEXT} NOT NULL ${among("division", ["main", "academy", "other"])},
  region ${TEXT},
  logo_url ${TEXT},
  status ${TEXT} NOT NULL ${among("status", ["active", "inactive"])},
  player_count bigint NOT NULL DEFAULT 0 CHECK (player_count >= 0),
  ${EXTERNAL_IDS},
  search_text ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, id)
);

CREATE TABLE players (${RECORD},
  ign ${TEXT} NOT NULL CHECK (ign <> ''),
  real_name ${TEXT} NOT NULL,
  role ${TEXT} NOT NULL CHECK (role <> ''),
  team_id ${TEXT},
  contract_status ${TEXT} NOT NULL ${among("contract_status", ["unsigned", "in_negotiation", "active", "expired", "terminated"])},
  join_date bigint NOT NULL,
  status ${TEXT} NOT NULL ${among("status", ["active", "benched", "inactive"])},
  nationality ${TEXT} CHECK (length(nationality) = 2),
  image_url ${TEXT},
  stats ${TEXT} CHECK (stats IS NULL OR json_typeof(stats::json) = 'object'),
  ${EXTERNAL_IDS},
  search_text ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
);
CREATE INDEX players_by_team ON players (org_id, team_id);
CREATE INDEX players_by_update ON players (org_id, updated_at);

CREATE TABLE assignments (${RECORD},
  player_id ${TEXT} NOT NULL,
  team_id ${TEXT} NOT NULL,
  role ${TEXT} NOT NULL CHECK (role <> ''),
  kind ${TEXT} NOT NULL ${among("kind", ["player", "staff"])},
  is_starter bigint NOT NULL CHECK (is_starter IN (0, 1)),
  is_captain bigint NOT NULL CHECK (is_captain IN (0, 1)),
  joined_at bigint NOT NULL,
  left_at bigint CHECK (left_at >= joined_at),
  import_id ${TEXT},
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, player_id) REFERENCES players (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
);
CREATE INDEX assignments_by_player ON assignments (org_id, player_id);
CREATE INDEX assignments_by_team ON assignments (org_id, team_id);
CREATE UNIQUE INDEX one_open_assignment_per_player ON assignments (org_id, player_id) WHERE left_at IS NULL;
CREATE UNIQUE INDEX assignments_by_import_id ON assignments (org_id, import_id) WHERE import_id IS NOT NULL;
`;

const planning = `
CREATE TABLE schedule_entries (${RECORD},
  kind ${TEXT} NOT NULL ${among("kind", ["match", "scrim", "practice", "event"])},
  title ${TEXT} NOT NULL CHECK (title <> ''),
  team_id ${TEXT},
  game ${TEXT} NOT NULL ${among("game", ["LoL", "Valorant", "CS2", "Other"])},
  status ${TEXT} NOT NULL ${among("status", ["scheduled", "live", "completed", "postponed", "cancelled"])},
  starts_at bigint NOT NULL,
  ends_at bigint CHECK (ends_at >= starts_at),
  previous_starts_at bigint,
  timezone ${TEXT},
  opponent ${TEXT},
  competition ${TEXT},
  stage ${TEXT},
  best_of bigint CHECK (best_of % 2 = 1),
  location ${TEXT},
  stream_url ${TEXT},
  result_own bigint,
  result_opponent bigint,
  ${EXTERNAL_IDS},
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id),
  CHECK ((result_own IS NULL) = (result_opponent IS NULL))
);
CREATE INDEX schedule_entries_by_start ON schedule_entries (org_id, starts_at, id);
CREATE INDEX schedule_entries_by_team ON schedule_entries (org_id, team_id);

CREATE TABLE prospects (${RECORD},
  ign ${TEXT} NOT NULL CHECK (ign <> ''),
  real_name ${TEXT} NOT NULL,
  game ${TEXT} NOT NULL ${among("game", ["LoL", "Valorant", "CS2", "Other"])},
  role ${TEXT},
  stage ${TEXT} NOT NULL ${among("stage", ["identified", "contacted", "trial", "offered", "signed", "rejected"])},
  stage_changed_at bigint NOT NULL,
  priority ${TEXT} NOT NULL ${among("priority", ["low", "medium", "high"])},
  rating double precision CHECK (rating BETWEEN 0 AND 10),
  current_team ${TEXT},
  nationality ${TEXT},
  region ${TEXT},
  source ${TEXT},
  assigned_to ${TEXT},
  notes ${TEXT},
  target_team_id ${TEXT},
  player_id ${TEXT},
  contract_end_date bigint,
  last_contact_at bigint,
  tags ${TEXT} NOT NULL DEFAULT '[]' CHECK (json_typeof(tags::json) = 'array'),
  ${EXTERNAL_IDS},
  search_text ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, target_team_id) REFERENCES teams (org_id, id),
  FOREIGN KEY (org_id, player_id) REFERENCES players (org_id, id)
);
CREATE INDEX prospects_by_update ON prospects (org_id, updated_at);

CREATE TABLE contracts (${RECORD},
  player_id ${TEXT} NOT NULL,
  team_id ${TEXT},
  kind ${TEXT} NOT NULL ${among("kind", ["player", "staff", "trial", "loan"])},
  status ${TEXT} NOT NULL ${among("status", ["draft", "pending", "active", "expired", "terminated"])},
  start_date bigint NOT NULL,
  end_date bigint CHECK (end_date >= start_date),
  signed_at bigint,
  terminated_at bigint,
  auto_renew bigint NOT NULL CHECK (auto_renew IN (0, 1)),
  notice_period_days bigint CHECK (notice_period_days >= 0),
  ${EXTERNAL_IDS},
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, player_id) REFERENCES players (org_id, id),
  FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id)
);
CREATE INDEX contracts_by_player ON contracts (org_id, player_id);
CREATE INDEX contracts_by_end ON contracts (org_id, end_date, id);
`;

const records = `
CREATE TABLE external_ids (
  org_id ${TEXT} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind ${TEXT} NOT NULL ${among("kind", ["player", "team", "event", "prospect", "contract"])},
  system ${TEXT} NOT NULL CHECK (system <> ''),
  external_id ${TEXT} NOT NULL CHECK (external_id <> ''),
  record_id ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, kind, system, external_id)
);
CREATE UNIQUE INDEX external_ids_by_record ON external_ids (org_id, kind, record_id, system);

CREATE TABLE changes (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id ${TEXT} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  at bigint NOT NULL,
  actor ${TEXT} NOT NULL,
  action ${TEXT} NOT NULL ${among("action", ["create", "update"])},
  kind ${TEXT} NOT NULL,
  record_id ${TEXT} NOT NULL,
  fields ${TEXT} CHECK (fields IS NULL OR json_typeof(fields::json) = 'object'),
  note ${TEXT}
);
CREATE INDEX changes_by_record ON changes (org_id, record_id, at);
`;

const OWNED_BY_ORGANIZATIONS = [
  "teams",
  "players",
  "assignments",
  "schedule_entries",
  "prospects",
  "contracts",
  "external_ids",
  "changes",
];

const guards = `
GRANT USAGE ON SCHEMA ${SCHEMA} TO ${TENANT_ROLE}, ${OPERATOR_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${OPERATOR_ROLE};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO ${OPERATOR_ROLE}, ${TENANT_ROLE};
REVOKE INSERT, UPDATE, DELETE ON schema_steps FROM ${OPERATOR_ROLE};
GRANT SELECT ON settings, schema_steps, organizations TO ${TENANT_ROLE};
GRANT UPDATE (revision) ON organizations TO ${TENANT_ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ${OWNED_BY_ORGANIZATIONS.filter((table) => table !== "changes").join(", ")} TO ${TENANT_ROLE};
GRANT SELECT, INSERT ON changes TO ${TENANT_ROLE};
${OWNED_BY_ORGANIZATIONS.map((table) => guard(table, "org_id")).join("\n")}
${guard("organizations", "id")}
${guard("api_keys", "")}

CREATE FUNCTION find_key(wanted text) RETURNS TABLE (
  id text, name text, permissions text, expires_at bigint, revoked_at bigint, org_id text, org_name text, tier text
) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ${SCHEMA}, pg_temp AS $$
  SELECT api_keys.id, api_keys.name, api_keys.permissions, api_keys.expires_at, api_keys.revoked_at, api_keys.org_id,
    organizations.name, organizations.tier
  FROM api_keys JOIN organizations ON organizations.id = api_keys.org_id
  WHERE api_keys.hash = wanted
$$;
REVOKE ALL ON FUNCTION find_key(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_key(text) TO ${TENANT_ROLE}, ${OPERATOR_ROLE};
GRANT CREATE ON SCHEMA ${SCHEMA} TO ${OPERATOR_ROLE};
ALTER FUNCTION find_key(text) OWNER TO ${OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA ${SCHEMA} FROM ${OPERATOR_ROLE};
`;

const notifications = `
CREATE FUNCTION tell_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${CHANGES_CHANNEL}', COALESCE(NEW.id, OLD.id));
  RETURN NULL;
END $$;
CREATE TRIGGER tell_organization AFTER UPDATE OF revision OR DELETE ON organizations
  FOR EACH ROW EXECUTE FUNCTION tell_organization();

CREATE FUNCTION tell_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('${CHANGES_CHANNEL}', 'access');
  RETURN NULL;
END $$;
CREATE TRIGGER tell_access AFTER UPDATE OF value ON settings
  FOR EACH ROW WHEN (NEW.name = 'access_revision') EXECUTE FUNCTION tell_access();
`;

export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  {
    name: "organizations, keys and their data",
    sql: [organizations, people, planning, records, guards, notifications].join("\n"),
  },
  { name: "people, history and use", sql: postgresDashboardStep },
];
