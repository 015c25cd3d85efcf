/** The tables of people: who they are, what they may do where, and the links that they were given or have made. */
import { createTables, type Dialect, defineTable, type RowOf, type RowsOf } from "./record-ddl.ts";

const users = defineTable({
  name: "users",
  keptBy: "row",
  columns: {
    id: "text PRIMARY KEY CHECK (is id of user)",
    name: "text NOT NULL CHECK (name <> '')",
    /** In lower case. */
    email: "text NOT NULL UNIQUE CHECK (email <> '' AND email = lower(email))",
    email_verified: "integer NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1))",
    image: "text",
    is_operator: "integer NOT NULL DEFAULT 0 CHECK (is_operator IN (0, 1))",
    two_factor_enabled: "integer NOT NULL DEFAULT 0 CHECK (two_factor_enabled IN (0, 1))",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

const sessions = defineTable({
  name: "sessions",
  keptBy: "row",
  indexes: { sessions_by_user: "(user_id)", sessions_by_end: "(expires_at)" },
  columns: {
    id: "text PRIMARY KEY",
    user_id: "text NOT NULL REFERENCES users (id) ON DELETE CASCADE",
    token: "text NOT NULL UNIQUE",
    ip_address: "text",
    user_agent: "text",
    expires_at: "integer NOT NULL",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

/** How a user proves who they are; a password is one row, of the provider "credential". */
const accounts = defineTable({
  name: "accounts",
  keptBy: "row",
  indexes: { accounts_by_user: "(user_id)" },
  columns: {
    id: "text PRIMARY KEY",
    user_id: "text NOT NULL REFERENCES users (id) ON DELETE CASCADE",
    account_id: "text NOT NULL",
    provider_id: "text NOT NULL",
    password: "text",
    access_token: "text",
    refresh_token: "text",
    id_token: "text",
    scope: "text",
    access_token_expires_at: "integer",
    refresh_token_expires_at: "integer",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

const verifications = defineTable({
  name: "verifications",
  keptBy: "row",
  indexes: { verifications_by_identifier: "(identifier)" },
  columns: {
    id: "text PRIMARY KEY",
    identifier: "text NOT NULL",
    value: "text NOT NULL",
    expires_at: "integer NOT NULL",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

const twoFactors = defineTable({
  name: "two_factors",
  keptBy: "row",
  indexes: { two_factors_by_user: "(user_id)" },
  columns: {
    id: "text PRIMARY KEY",
    user_id: "text NOT NULL REFERENCES users (id) ON DELETE CASCADE",
    secret: "text NOT NULL",
    backup_codes: "text NOT NULL",
    verified: "integer NOT NULL DEFAULT 1 CHECK (verified IN (0, 1))",
    failed_verification_count: "integer NOT NULL DEFAULT 0",
    locked_until: "integer",
  },
});

const members = defineTable({
  name: "members",
  keptBy: "key",
  rules: ["PRIMARY KEY (org_id, user_id)"],
  indexes: { members_by_user: "(user_id)" },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    user_id: "text NOT NULL REFERENCES users (id) ON DELETE CASCADE",
    role: "text NOT NULL CHECK (role IN ('owner', 'compliance', 'manager', 'viewer'))",
    created_at: "integer NOT NULL",
    updated_at: "integer NOT NULL",
  },
});

/** Links that work once. The token itself is nowhere but in the link. */
const links = defineTable({
  name: "links",
  keptBy: "row",
  indexes: { links_by_org: "(org_id, kind)", links_by_end: "(expires_at)" },
  columns: {
    id: "text PRIMARY KEY CHECK (is id of link)",
    /** SHA-256, in hexadecimal. */
    token_hash: "text NOT NULL UNIQUE CHECK (length(token_hash) = 64)",
    kind: "text NOT NULL CHECK (kind IN ('setup', 'sign-in', 'invitation', 'password-reset'))",
    org_id: "text REFERENCES organizations (id) ON DELETE CASCADE",
    user_id: "text REFERENCES users (id) ON DELETE CASCADE",
    email: "text",
    role: "text CHECK (role IN ('owner', 'compliance', 'manager', 'viewer'))",
    /** A user's id, or the name of a command. */
    created_by: "text NOT NULL",
    created_at: "integer NOT NULL",
    expires_at: "integer NOT NULL",
    used_at: "integer",
  },
});

/** Tries to sign in that have not succeeded, or not yet. */
const signInTries = defineTable({
  name: "sign_in_tries",
  keptBy: "key",
  indexes: { sign_in_tries_by_account: "(account, at)", sign_in_tries_by_time: "(at)" },
  columns: {
    id: "text PRIMARY KEY",
    /** Whose tries are counted together: strangers at an account, or all devices that are known to it. */
    account: "text NOT NULL",
    at: "integer NOT NULL",
  },
});

export const PEOPLE = [users, sessions, accounts, verifications, twoFactors, members, links, signInTries] as const;

export interface PeopleTables extends RowsOf<typeof PEOPLE> {
  /** Texts that belong to the installation as a whole, such as the secret that cookies are signed with. */
  installation: { name: string; value: string };
}

export type UsersTable = PeopleTables["users"];
export type LinksTable = PeopleTables["links"];
export type LinkKind = LinksTable["kind"];

export function createPeople(dialect: Dialect): string {
  const { types, rowTableEnd } = dialect;
  return `
CREATE TABLE installation (name ${types.text} PRIMARY KEY, value ${types.text} NOT NULL)${rowTableEnd};
${createTables(dialect, ...PEOPLE)}`;
}

/** A calendar link goes with its maker's membership, and with its team. The token itself is nowhere but in the link. */
const calendarLinks = defineTable({
  name: "calendar_links",
  keptBy: "key",
  rules: [
    "PRIMARY KEY (org_id, id)",
    "FOREIGN KEY (org_id, user_id) REFERENCES members (org_id, user_id) ON DELETE CASCADE",
    "FOREIGN KEY (org_id, team_id) REFERENCES teams (org_id, id) ON DELETE CASCADE",
  ],
  indexes: { calendar_links_by_user: "(org_id, user_id)", calendar_links_by_team: "(org_id, team_id)" },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    id: "text NOT NULL CHECK (is id of calendar)",
    user_id: "text NOT NULL",
    name: "text NOT NULL CHECK (name <> '')",
    /** SHA-256, in hexadecimal. */
    token_hash: "text NOT NULL UNIQUE CHECK (length(token_hash) = 64)",
    /** Null for all teams. */
    team_id: "text",
    /** JSON array of kinds of schedule entries. */
    kinds: "text NOT NULL CHECK (is JSON array)",
    contract_ends: "integer NOT NULL CHECK (contract_ends IN (0, 1))",
    created_at: "integer NOT NULL",
    /** To the hour. */
    last_used_at: "integer",
  },
});

export type CalendarLinksTable = RowOf<typeof calendarLinks.columns>;

export function createCalendarLinks(dialect: Dialect): string {
  return createTables(dialect, calendarLinks);
}
