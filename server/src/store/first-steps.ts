/**
 * The tables that the first steps of both schemas make, but for those of records: the same names, columns, checks and indexes in both
 * databases. What else a step does stands with it, in sqlite-migrations.ts and postgres-migrations.ts; how steps are kept, too.
 */
import { among, type Dialect } from "./record-ddl.ts";

const ROLES = ["owner", "compliance", "manager", "viewer"];

export function createOrganizations(dialect: Dialect): string {
  const { text, integer } = dialect.types;
  const { rowTableEnd } = dialect;
  return `
CREATE TABLE settings (name ${text} PRIMARY KEY, value ${integer} NOT NULL)${rowTableEnd};
INSERT INTO settings (name, value) VALUES ('access_revision', 1);

CREATE TABLE organizations (
  id ${text} PRIMARY KEY CHECK (${dialect.isIdOf("org")}),
  name ${text} NOT NULL CHECK (name <> ''),
  tier ${text} NOT NULL ${among("tier", ["Free", "Basic", "Pro", "Enterprise"])},
  revision ${integer} NOT NULL DEFAULT 1,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${rowTableEnd};
CREATE INDEX organizations_by_name ON organizations (name);

CREATE TABLE api_keys (
  id ${text} PRIMARY KEY CHECK (${dialect.isIdOf("key")}),
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name ${text} NOT NULL CHECK (name <> ''),
  hash ${text} NOT NULL UNIQUE CHECK (length(hash) = 64),
  shown_prefix ${text} NOT NULL CHECK (length(shown_prefix) <= 16),
  permissions ${text} NOT NULL CHECK (json_array_length(${dialect.asJson("permissions")}) >= 1),
  expires_at ${integer},
  revoked_at ${integer},
  successor_id ${text},
  created_by ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${rowTableEnd};
CREATE INDEX api_keys_by_org ON api_keys (org_id, id);
`;
}

/** `position` is what PostgreSQL wants to tell changes apart by. */
export function createRecordTables(dialect: Dialect, position = ""): string {
  const { text, integer } = dialect.types;
  return `
CREATE TABLE external_ids (
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  kind ${text} NOT NULL ${among("kind", ["player", "team", "event", "prospect", "contract"])},
  system ${text} NOT NULL CHECK (system <> ''),
  external_id ${text} NOT NULL CHECK (external_id <> ''),
  record_id ${text} NOT NULL,
  PRIMARY KEY (org_id, kind, system, external_id)
)${dialect.tableEnd};
CREATE UNIQUE INDEX external_ids_by_record ON external_ids (org_id, kind, record_id, system);

CREATE TABLE changes (${position}
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  at ${integer} NOT NULL,
  actor ${text} NOT NULL,
  action ${text} NOT NULL ${among("action", ["create", "update"])},
  kind ${text} NOT NULL,
  record_id ${text} NOT NULL,
  fields ${text} CHECK (fields IS NULL OR ${dialect.jsonType("fields")} = 'object'),
  note ${text}
)${dialect.rowTableEnd};
CREATE INDEX changes_by_record ON changes (org_id, record_id, at);
`;
}

/** Who people are and what they may do where. */
export function createPeople(dialect: Dialect): string {
  const { text, integer } = dialect.types;
  return `
CREATE TABLE installation (name ${text} PRIMARY KEY, value ${text} NOT NULL)${dialect.rowTableEnd};

CREATE TABLE users (
  id ${text} PRIMARY KEY CHECK (${dialect.isIdOf("user")}),
  name ${text} NOT NULL CHECK (name <> ''),
  email ${text} NOT NULL UNIQUE CHECK (email <> '' AND email = lower(email)),
  email_verified ${integer} NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  image ${text},
  is_operator ${integer} NOT NULL DEFAULT 0 CHECK (is_operator IN (0, 1)),
  two_factor_enabled ${integer} NOT NULL DEFAULT 0 CHECK (two_factor_enabled IN (0, 1)),
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${dialect.rowTableEnd};

CREATE TABLE sessions (
  id ${text} PRIMARY KEY,
  user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token ${text} NOT NULL UNIQUE,
  ip_address ${text},
  user_agent ${text},
  expires_at ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${dialect.rowTableEnd};
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE accounts (
  id ${text} PRIMARY KEY,
  user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  password ${text},
  access_token ${text},
  refresh_token ${text},
  id_token ${text},
  scope ${text},
  access_token_expires_at ${integer},
  refresh_token_expires_at ${integer},
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${dialect.rowTableEnd};
CREATE INDEX accounts_by_user ON accounts (user_id);

CREATE TABLE verifications (
  id ${text} PRIMARY KEY,
  identifier ${text} NOT NULL,
  value ${text} NOT NULL,
  expires_at ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${dialect.rowTableEnd};
CREATE INDEX verifications_by_identifier ON verifications (identifier);

CREATE TABLE two_factors (
  id ${text} PRIMARY KEY,
  user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret ${text} NOT NULL,
  backup_codes ${text} NOT NULL,
  verified ${integer} NOT NULL DEFAULT 1 CHECK (verified IN (0, 1)),
  failed_verification_count ${integer} NOT NULL DEFAULT 0,
  locked_until ${integer}
)${dialect.rowTableEnd};
CREATE INDEX two_factors_by_user ON two_factors (user_id);

CREATE TABLE members (
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role ${text} NOT NULL ${among("role", ROLES)},
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  PRIMARY KEY (org_id, user_id)
)${dialect.tableEnd};
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE links (
  id ${text} PRIMARY KEY CHECK (${dialect.isIdOf("link")}),
  token_hash ${text} NOT NULL UNIQUE CHECK (length(token_hash) = 64),
  kind ${text} NOT NULL ${among("kind", ["setup", "sign-in", "invitation", "password-reset"])},
  org_id ${text} REFERENCES organizations (id) ON DELETE CASCADE,
  user_id ${text} REFERENCES users (id) ON DELETE CASCADE,
  email ${text},
  role ${text} ${among("role", ROLES)},
  created_by ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  used_at ${integer}
)${dialect.rowTableEnd};
CREATE INDEX links_by_org ON links (org_id, kind);
CREATE INDEX links_by_end ON links (expires_at);

CREATE TABLE sign_in_tries (
  id ${text} PRIMARY KEY,
  account ${text} NOT NULL,
  at ${integer} NOT NULL
)${dialect.tableEnd};
CREATE INDEX sign_in_tries_by_account ON sign_in_tries (account, at);
CREATE INDEX sign_in_tries_by_time ON sign_in_tries (at);
`;
}

/** What was done and by whom. `heads` are the ends of the chains of organizations that are there. */
export function createHistory(dialect: Dialect, heads = ""): string {
  const { text, integer } = dialect.types;
  return `
CREATE TABLE audit (
  org_id ${text} NOT NULL,
  seq ${integer} NOT NULL CHECK (seq >= 1),
  at ${integer} NOT NULL,
  actor_kind ${text} NOT NULL ${among("actor_kind", ["user", "key", "command", "server"])},
  actor_id ${text},
  actor_name ${text} NOT NULL,
  address ${text},
  request_id ${text},
  action ${text} NOT NULL,
  target_kind ${text} NOT NULL,
  target_id ${text} NOT NULL,
  target_name ${text},
  changes ${text} CHECK (changes IS NULL OR ${dialect.jsonType("changes")} = 'object'),
  note ${text},
  hash ${text} NOT NULL CHECK (length(hash) = 64),
  PRIMARY KEY (org_id, seq)
)${dialect.rowTableEnd};
CREATE INDEX audit_by_target ON audit (org_id, target_id, seq);
CREATE INDEX audit_beginnings ON audit (org_id, note) WHERE action IN ('audit.began', 'organization.created');

CREATE TABLE audit_heads (
  org_id ${text} PRIMARY KEY,
  count ${integer} NOT NULL CHECK (count >= 0),
  hash ${text} NOT NULL
)${dialect.tableEnd};
${heads}
CREATE TABLE audit_seals (
  org_id ${text} NOT NULL,
  mark ${text} NOT NULL,
  count ${integer} NOT NULL,
  hash ${text} NOT NULL,
  seal ${text} NOT NULL,
  PRIMARY KEY (org_id, mark)
)${dialect.tableEnd};
`;
}

/** How much each key is used. */
export function createUse(dialect: Dialect): string {
  const { text, integer } = dialect.types;
  return `
CREATE TABLE key_usage (
  org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key_id ${text} NOT NULL,
  hour ${integer} NOT NULL,
  endpoint ${text} NOT NULL,
  status ${integer} NOT NULL,
  requests ${integer} NOT NULL,
  duration_us ${integer} NOT NULL,
  PRIMARY KEY (org_id, key_id, hour, endpoint, status)
)${dialect.tableEnd};
CREATE INDEX key_usage_by_hour ON key_usage (hour);
CREATE INDEX key_usage_by_org_hour ON key_usage (org_id, hour);
`;
}

/** For the installation and for each organization, which have done nothing yet. */
export const AUDIT_HEADS = `INSERT INTO audit_heads (org_id, count, hash) VALUES ('installation', 0, '');
INSERT INTO audit_heads (org_id, count, hash) SELECT id, 0, '' FROM organizations;
`;
