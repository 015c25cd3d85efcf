/** The tables as the queries see them. Times are milliseconds since the Unix epoch; JSON and permissions are texts. */
import type { ContractStatus, PlayerStatus } from "@lineup/api/players";
import type { AssignmentKind, Game } from "@lineup/api/roles";
import type { Tier } from "@lineup/api/tiers";
import type {
  AccountsTable,
  AuditHeadsTable,
  AuditSealsTable,
  AuditTable,
  InstallationTable,
  KeyUsageTable,
  LinksTable,
  MembersTable,
  RequestBlocksTable,
  SessionsTable,
  SignInTriesTable,
  TwoFactorsTable,
  UsersTable,
  VerificationsTable,
} from "./people-schema.ts";

export interface OrganizationsTable {
  id: string;
  name: string;
  tier: Tier;
  /** Grows with every change to the organization's data: what was read under one revision is current while it stands. */
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface ApiKeysTable {
  id: string;
  org_id: string;
  name: string;
  hash: string;
  shown_prefix: string;
  /** JSON array. */
  permissions: string;
  expires_at: number | null;
  revoked_at: number | null;
  /** The key that took this one's place. */
  successor_id: string | null;
  created_by: string;
  created_at: number;
  updated_at: number;
}

interface RecordColumns {
  org_id: string;
  id: string;
  created_at: number;
  updated_at: number;
}

interface ExternalIdsColumn {
  /** JSON object, a copy of this record's rows in `external_ids`, so that reading a record needs one table. */
  external_ids: string;
}

export interface TeamsTable extends RecordColumns, ExternalIdsColumn {
  name: string;
  tag: string | null;
  game: Game;
  division: string;
  region: string | null;
  logo_url: string | null;
  status: string;
  player_count: number;
  search_text: string;
}

export interface PlayersTable extends RecordColumns, ExternalIdsColumn {
  ign: string;
  real_name: string;
  role: string;
  team_id: string | null;
  contract_status: ContractStatus;
  join_date: number;
  status: PlayerStatus;
  nationality: string | null;
  image_url: string | null;
  stats: string | null;
  search_text: string;
}

export interface AssignmentsTable extends RecordColumns {
  player_id: string;
  team_id: string;
  role: string;
  kind: AssignmentKind;
  is_starter: number;
  is_captain: number;
  joined_at: number;
  left_at: number | null;
  /** The row's name in imported files, where it has one. */
  import_id: string | null;
}

export interface ScheduleEntriesTable extends RecordColumns, ExternalIdsColumn {
  kind: string;
  title: string;
  team_id: string | null;
  game: Game;
  status: string;
  starts_at: number;
  ends_at: number | null;
  previous_starts_at: number | null;
  timezone: string | null;
  opponent: string | null;
  competition: string | null;
  stage: string | null;
  best_of: number | null;
  location: string | null;
  stream_url: string | null;
  result_own: number | null;
  result_opponent: number | null;
}

export interface ProspectsTable extends RecordColumns, ExternalIdsColumn {
  ign: string;
  real_name: string;
  game: Game;
  role: string | null;
  stage: string;
  stage_changed_at: number;
  priority: string;
  rating: number | null;
  current_team: string | null;
  nationality: string | null;
  region: string | null;
  source: string | null;
  assigned_to: string | null;
  notes: string | null;
  target_team_id: string | null;
  player_id: string | null;
  contract_end_date: number | null;
  last_contact_at: number | null;
  tags: string;
  search_text: string;
}

export interface ContractsTable extends RecordColumns, ExternalIdsColumn {
  player_id: string;
  team_id: string | null;
  kind: string;
  status: string;
  start_date: number;
  end_date: number | null;
  signed_at: number | null;
  terminated_at: number | null;
  auto_renew: number;
  notice_period_days: number | null;
}

export type ExternalIdKind = "player" | "team" | "event" | "prospect" | "contract";

export interface ExternalIdsTable {
  org_id: string;
  kind: ExternalIdKind;
  system: string;
  external_id: string;
  record_id: string;
}

/** What was changed, by whom, in the transaction that changed it. */
export interface ChangesTable {
  org_id: string;
  at: number;
  /** A key's id, or the name of a command. */
  actor: string;
  action: "create" | "update";
  kind: string;
  record_id: string;
  /** JSON object, field → [before, after]; null for a creation. */
  fields: string | null;
  /** What a person should know about the change, such as an unusual step. */
  note: string | null;
}

export interface SettingsTable {
  name: string;
  value: number;
}

export interface Database {
  organizations: OrganizationsTable;
  api_keys: ApiKeysTable;
  teams: TeamsTable;
  players: PlayersTable;
  assignments: AssignmentsTable;
  schedule_entries: ScheduleEntriesTable;
  prospects: ProspectsTable;
  contracts: ContractsTable;
  external_ids: ExternalIdsTable;
  changes: ChangesTable;
  settings: SettingsTable;
  installation: InstallationTable;
  users: UsersTable;
  sessions: SessionsTable;
  accounts: AccountsTable;
  verifications: VerificationsTable;
  two_factors: TwoFactorsTable;
  members: MembersTable;
  links: LinksTable;
  sign_in_tries: SignInTriesTable;
  audit: AuditTable;
  audit_heads: AuditHeadsTable;
  audit_seals: AuditSealsTable;
  key_usage: KeyUsageTable;
  /** In PostgreSQL alone; beside an embedded store it is a file of its own. */
  request_blocks: RequestBlocksTable;
}

/** The tables that belong to an organization. Everything in them is reached through an `OrgStore` alone. */
export type OrgTable = Exclude<keyof Database, OperatorTable | "audit_heads" | "audit_seals">;

/** The tables that belong to the operator, and to no organization alone. */
export type OperatorTable =
  | "organizations"
  | "api_keys"
  | "settings"
  | "installation"
  | "users"
  | "sessions"
  | "accounts"
  | "verifications"
  | "two_factors"
  | "members"
  | "links"
  | "sign_in_tries";
