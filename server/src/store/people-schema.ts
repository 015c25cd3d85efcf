/** The tables of people and of what was done, as the queries see them. Truth is 0 or 1; times are milliseconds since the Unix epoch. */
import type { Role } from "@lineup/api/dashboard/members";

/** Texts that belong to the installation as a whole, such as the secret that cookies are signed with. */
export interface InstallationTable {
  name: string;
  value: string;
}

export interface UsersTable {
  id: string;
  name: string;
  /** In lower case. */
  email: string;
  email_verified: number;
  image: string | null;
  is_operator: number;
  two_factor_enabled: number;
  created_at: number;
  updated_at: number;
}

export interface SessionsTable {
  id: string;
  user_id: string;
  token: string;
  ip_address: string | null;
  user_agent: string | null;
  expires_at: number;
  created_at: number;
  updated_at: number;
}

/** How a user proves who they are; a password is one row, of the provider "credential". */
export interface AccountsTable {
  id: string;
  user_id: string;
  account_id: string;
  provider_id: string;
  password: string | null;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  scope: string | null;
  access_token_expires_at: number | null;
  refresh_token_expires_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface VerificationsTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: number;
  created_at: number;
  updated_at: number;
}

export interface TwoFactorsTable {
  id: string;
  user_id: string;
  secret: string;
  backup_codes: string;
  verified: number;
  failed_verification_count: number;
  locked_until: number | null;
}

export interface MembersTable {
  org_id: string;
  user_id: string;
  role: Role;
  created_at: number;
  updated_at: number;
}

export type LinkKind = "setup" | "sign-in" | "invitation" | "password-reset";

/** Links that work once. The token itself is nowhere but in the link. */
export interface LinksTable {
  id: string;
  /** SHA-256, in hexadecimal. */
  token_hash: string;
  kind: LinkKind;
  org_id: string | null;
  user_id: string | null;
  email: string | null;
  role: Role | null;
  /** A user's id, or the name of a command. */
  created_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** Tries to sign in that have not succeeded, or not yet. */
export interface SignInTriesTable {
  id: string;
  /** Whose tries are counted together: strangers at an account, or all devices that are known to it. */
  account: string;
  at: number;
}

export type ActorKind = "user" | "key" | "command" | "server";

/** Who did what to what, in the transaction that did it. Each row's hash covers the row and the hash before it. */
export interface AuditTable {
  org_id: string;
  /** 1, 2, 3 … without a gap, in each organization. */
  seq: number;
  at: number;
  actor_kind: ActorKind;
  actor_id: string | null;
  actor_name: string;
  address: string | null;
  request_id: string | null;
  /** What was done, such as `key.revoked`. */
  action: string;
  target_kind: string;
  target_id: string;
  target_name: string | null;
  /** JSON object, field → [before, after]. */
  changes: string | null;
  note: string | null;
  /** JSON object of what is no value, and stays when values are erased: names of changed fields, and the like. */
  facts: string | null;
  salt: string | null;
  commitment: string | null;
  hash: string;
}

/** Where an organization's chain ends. */
export interface AuditHeadsTable {
  org_id: string;
  count: number;
  hash: string;
}

/** What one secret has sealed last: that entry `count` of the chain has this hash. `mark` tells secrets apart. */
export interface AuditSealsTable {
  org_id: string;
  mark: string;
  count: number;
  hash: string;
  seal: string;
}

export interface KeyUsageTable {
  org_id: string;
  key_id: string;
  /** Hours since the Unix epoch. */
  hour: number;
  /** An endpoint's name, or "unknown". */
  endpoint: string;
  status: number;
  requests: number;
  /** Of all of them together. */
  duration_us: number;
}

/**
 * Some hundred requests of one organization. In PostgreSQL beside the other tables; an embedded store keeps them in a file of
 * their own.
 */
export interface RequestBlocksTable {
  org_id: string;
  /** That of the request with which the block began. */
  id: string;
  /** The least and the greatest request id in it; ids are in order of time. */
  first_id: string;
  last_id: string;
  requests: number;
  /** The keys, methods, statuses and codes in it, each between spaces; empty in a block of the version before. */
  terms: string;
  /** JSON, compressed; null in a block of the version before. */
  records: Uint8Array | null;
  /** Of the version before. */
  body: string | null;
}
