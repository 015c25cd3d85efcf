/**
 * The step of the schema in PostgreSQL that brings people: who they are, what they may do where, what was done and by
 * whom, and how much each key is used. How steps are written and kept: postgres-migrations.ts.
 */

import { guard, OPERATOR_ROLE, TENANT_ROLE, TEXT } from "./postgres-row-guards.ts";

function among(column: string, values: readonly string[]): string {
  return `CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`;
}

const ROLES = ["owner", "compliance", "manager", "viewer"];

const people = `
CREATE TABLE installation (name ${TEXT} PRIMARY KEY, value ${TEXT} NOT NULL);

CREATE TABLE users (
  id ${TEXT} PRIMARY KEY CHECK (id LIKE 'user\\_%'),
  name ${TEXT} NOT NULL CHECK (name <> ''),
  email ${TEXT} NOT NULL UNIQUE CHECK (email <> '' AND email = lower(email)),
  email_verified bigint NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  image ${TEXT},
  is_operator bigint NOT NULL DEFAULT 0 CHECK (is_operator IN (0, 1)),
  two_factor_enabled bigint NOT NULL DEFAULT 0 CHECK (two_factor_enabled IN (0, 1)),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE TABLE sessions (
  id ${TEXT} PRIMARY KEY,
  user_id ${TEXT} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token ${TEXT} NOT NULL UNIQUE,
  ip_address ${TEXT},
  user_agent ${TEXT},
  expires_at bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE accounts (
  id ${TEXT} PRIMARY KEY,
  user_id ${TEXT} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id ${TEXT} NOT NULL,
  provider_id ${TEXT} NOT NULL,
  password ${TEXT},
  access_token ${TEXT},
  refresh_token ${TEXT},
  id_token ${TEXT},
  scope ${TEXT},
  access_token_expires_at bigint,
  refresh_token_expires_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX accounts_by_user ON accounts (user_id);

CREATE TABLE verifications (
  id ${TEXT} PRIMARY KEY,
  identifier ${TEXT} NOT NULL,
  value ${TEXT} NOT NULL,
  expires_at bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX verifications_by_identifier ON verifications (identifier);

CREATE TABLE two_factors (
  id ${TEXT} PRIMARY KEY,
  user_id ${TEXT} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret ${TEXT} NOT NULL,
  backup_codes ${TEXT} NOT NULL,
  verified bigint NOT NULL DEFAULT 1 CHECK (verified IN (0, 1)),
  failed_verification_count bigint NOT NULL DEFAULT 0,
  locked_until bigint
);
CREATE INDEX two_factors_by_user ON two_factors (user_id);

CREATE TABLE members (
  org_id ${TEXT} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id ${TEXT} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role ${TEXT} NOT NULL ${among("role", ROLES)},
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (org_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE links (
  id ${TEXT} PRIMARY KEY CHECK (id LIKE 'link\\_%'),
  token_hash ${TEXT} NOT NULL UNIQUE CHECK (length(token_hash) = 64),
  kind ${TEXT} NOT NULL ${among("kind", ["setup", "sign-in", "invitation", "password-reset"])},
  org_id ${TEXT} REFERENCES organizations (id) ON DELETE CASCADE,
  user_id ${TEXT} REFERENCES users (id) ON DELETE CASCADE,
  email ${TEXT},
  role ${TEXT} ${among("role", ROLES)},
  created_by ${TEXT} NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint
);
CREATE INDEX links_by_org ON links (org_id, kind);
CREATE INDEX links_by_end ON links (expires_at);

CREATE TABLE sign_in_tries (
  id ${TEXT} PRIMARY KEY,
  account ${TEXT} NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX sign_in_tries_by_account ON sign_in_tries (account, at);
CREATE INDEX sign_in_tries_by_time ON sign_in_tries (at);
`;

const history = `
CREATE TABLE audit (
  org_id ${TEXT} NOT NULL,
  seq bigint NOT NULL CHECK (seq >= 1),
  at bigint NOT NULL,
  actor_kind ${TEXT} NOT NULL ${among("actor_kind", ["user", "key", "command", "server"])},
  actor_id ${TEXT},
  actor_name ${TEXT} NOT NULL,
  address ${TEXT},
  request_id ${TEXT},
  action ${TEXT} NOT NULL,
  target_kind ${TEXT} NOT NULL,
  target_id ${TEXT} NOT NULL,
  target_name ${TEXT},
  changes ${TEXT} CHECK (changes IS NULL OR json_typeof(changes::json) = 'object'),
  note ${TEXT},
  hash ${TEXT} NOT NULL CHECK (length(hash) = 64),
  PRIMARY KEY (org_id, seq)
);
CREATE INDEX audit_by_target ON audit (org_id, target_id, seq);
CREATE INDEX audit_beginnings ON audit (org_id, note) WHERE action IN ('audit.began', 'organization.created');

CREATE TABLE audit_heads (
  org_id ${TEXT} PRIMARY KEY,
  count bigint NOT NULL CHECK (count >= 0),
  hash ${TEXT} NOT NULL
);

CREATE TABLE audit_seals (
  org_id ${TEXT} NOT NULL,
  mark ${TEXT} NOT NULL,
  count bigint NOT NULL,
  hash ${TEXT} NOT NULL,
  seal ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, mark)
);
`;

const use = `
CREATE TABLE key_usage (
  org_id ${TEXT} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key_id ${TEXT} NOT NULL,
  hour bigint NOT NULL,
  endpoint ${TEXT} NOT NULL,
  status bigint NOT NULL,
  requests bigint NOT NULL,
  duration_us bigint NOT NULL,
  PRIMARY KEY (org_id, key_id, hour, endpoint, status)
);
CREATE INDEX key_usage_by_hour ON key_usage (hour);
CREATE INDEX key_usage_by_org_hour ON key_usage (org_id, hour);
`;

const requests = `
CREATE TABLE request_blocks (
  org_id ${TEXT} NOT NULL,
  id ${TEXT} NOT NULL,
  first_id ${TEXT} NOT NULL,
  last_id ${TEXT} NOT NULL,
  requests bigint NOT NULL,
  key_marks bigint NOT NULL,
  kind_marks bigint NOT NULL,
  body ${TEXT} NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE INDEX request_blocks_by_last ON request_blocks (org_id, last_id);
CREATE INDEX request_blocks_by_age ON request_blocks (last_id);
`;

const OPERATORS_ALONE = [
  "installation",
  "users",
  "sessions",
  "accounts",
  "verifications",
  "two_factors",
  "members",
  "links",
  "sign_in_tries",
];
const OWNED = ["audit", "audit_heads", "audit_seals", "key_usage", "request_blocks"];

const guards = `
GRANT SELECT, INSERT, UPDATE, DELETE ON ${[...OPERATORS_ALONE, ...OWNED].join(", ")} TO ${OPERATOR_ROLE};
GRANT SELECT, INSERT ON audit TO ${TENANT_ROLE};
GRANT SELECT, INSERT, UPDATE ON audit_heads, audit_seals TO ${TENANT_ROLE};
GRANT SELECT ON key_usage, request_blocks TO ${TENANT_ROLE};
${OPERATORS_ALONE.map((table) => guard(table, "")).join("\n")}
${OWNED.map((table) => guard(table, "org_id")).join("\n")}
`;

/** As the operator: row level security keeps even the owner of the tables from seeing what organizations there are. */
const heads = `
SET LOCAL ROLE ${OPERATOR_ROLE};
INSERT INTO audit_heads (org_id, count, hash) VALUES ('installation', 0, '');
INSERT INTO audit_heads (org_id, count, hash) SELECT id, 0, '' FROM organizations;
SET LOCAL ROLE NONE;
`;

export const postgresDashboardStep = [people, history, use, requests, guards, heads].join("\n");
