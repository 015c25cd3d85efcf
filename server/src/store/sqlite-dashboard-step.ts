/**
 * The step of the embedded store's schema that brings people: who they are, what they may do where, what was done and by
 * whom, and how much each key is used. How steps are written and kept: sqlite-migrations.ts.
 */

function among(column: string, values: readonly string[]): string {
  return `CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`;
}

const ROLES = ["owner", "compliance", "manager", "viewer"];

const people = `
CREATE TABLE installation (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE users (
  id TEXT PRIMARY KEY CHECK (id LIKE 'user\\_%' ESCAPE '\\'),
  name TEXT NOT NULL CHECK (name <> ''),
  email TEXT NOT NULL UNIQUE CHECK (email <> '' AND email = lower(email)),
  email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  image TEXT,
  is_operator INTEGER NOT NULL DEFAULT 0 CHECK (is_operator IN (0, 1)),
  two_factor_enabled INTEGER NOT NULL DEFAULT 0 CHECK (two_factor_enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token TEXT NOT NULL UNIQUE,
  ip_address TEXT,
  user_agent TEXT,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  password TEXT,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  scope TEXT,
  access_token_expires_at INTEGER,
  refresh_token_expires_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_by_user ON accounts (user_id);

CREATE TABLE verifications (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verifications_by_identifier ON verifications (identifier);

CREATE TABLE two_factors (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  backup_codes TEXT NOT NULL,
  verified INTEGER NOT NULL DEFAULT 1 CHECK (verified IN (0, 1)),
  failed_verification_count INTEGER NOT NULL DEFAULT 0,
  locked_until INTEGER
) STRICT;
CREATE INDEX two_factors_by_user ON two_factors (user_id);

CREATE TABLE members (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL ${among("role", ROLES)},
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE links (
  id TEXT PRIMARY KEY CHECK (id LIKE 'link\\_%' ESCAPE '\\'),
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 64),
  kind TEXT NOT NULL ${among("kind", ["setup", "sign-in", "invitation", "password-reset"])},
  org_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  email TEXT,
  role TEXT ${among("role", ROLES)},
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX links_by_org ON links (org_id, kind);
CREATE INDEX links_by_end ON links (expires_at);

CREATE TABLE sign_in_tries (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tries_by_account ON sign_in_tries (account, at);
CREATE INDEX sign_in_tries_by_time ON sign_in_tries (at);
`;

const history = `
CREATE TABLE audit (
  org_id TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL ${among("actor_kind", ["user", "key", "command", "server"])},
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  address TEXT,
  request_id TEXT,
  action TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  target_name TEXT,
  changes TEXT CHECK (changes IS NULL OR json_type(changes) = 'object'),
  note TEXT,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  PRIMARY KEY (org_id, seq)
) STRICT;
CREATE INDEX audit_by_target ON audit (org_id, target_id, seq);
CREATE INDEX audit_beginnings ON audit (org_id, note) WHERE action IN ('audit.began', 'organization.created');

CREATE TABLE audit_heads (
  org_id TEXT PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count >= 0),
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO audit_heads (org_id, count, hash) VALUES ('installation', 0, '');
INSERT INTO audit_heads (org_id, count, hash) SELECT id, 0, '' FROM organizations;

CREATE TABLE audit_seals (
  org_id TEXT NOT NULL,
  mark TEXT NOT NULL,
  count INTEGER NOT NULL,
  hash TEXT NOT NULL,
  seal TEXT NOT NULL,
  PRIMARY KEY (org_id, mark)
) STRICT, WITHOUT ROWID;
`;

const use = `
CREATE TABLE key_usage (
  org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  key_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  status INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  PRIMARY KEY (org_id, key_id, hour, endpoint, status)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_usage_by_hour ON key_usage (hour);
CREATE INDEX key_usage_by_org_hour ON key_usage (org_id, hour);
`;

export const dashboardStep = [people, history, use].join("\n");
