/** How the records of each table are stored, and what a new one has where the file says nothing. */
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import type { Selectable } from "kysely";
import { contractColumns, type StoredContract, storedContractFromRow } from "../resources/contracts/contract-store.ts";
import { playerColumns, playerFromRow } from "../resources/players/player-store.ts";
import { prospectColumns, prospectFromRow } from "../resources/prospects/prospect-store.ts";
import { scheduleEntryColumns, scheduleEntryFromRow } from "../resources/schedule/schedule-store.ts";
import { teamColumns, teamFromRow } from "../resources/teams/team-store.ts";
import type { Database, ExternalIdKind } from "../store/schema.ts";

export interface RecordByTable {
  teams: Team;
  players: Player;
  contracts: StoredContract;
  schedule: ScheduleEntry;
  prospects: Prospect;
}

export type RecordTable = keyof RecordByTable;
export type AnyRecord = RecordByTable[RecordTable];

export type StoredTable = "teams" | "players" | "contracts" | "schedule_entries" | "prospects";

export interface RecordKind<N extends RecordTable = RecordTable> {
  readonly table: N;
  /** Also the prefix of its ids. */
  readonly kind: ExternalIdKind;
  readonly storedIn: StoredTable;
  /** Columns that a new record cannot be without. */
  readonly required: readonly string[];
  defaults(now: number): Readonly<Record<string, unknown>>;
  toRow(record: RecordByTable[N]): Readonly<Record<string, unknown>>;
  fromRow(row: never): RecordByTable[N];
}

function defineKind<N extends RecordTable, T extends StoredTable>(
  kind: Omit<RecordKind<N>, "fromRow" | "storedIn"> & {
    storedIn: T;
    fromRow: (row: Selectable<Database[T]>) => RecordByTable[N];
  },
): RecordKind<N> {
  return kind as unknown as RecordKind<N>;
}

const teams = defineKind({
  table: "teams",
  kind: "team",
  storedIn: "teams",
  required: ["name", "game"],
  defaults: () => ({ tag: null, division: "main", region: null, logoUrl: null, status: "active", playerCount: 0 }),
  toRow: teamColumns,
  fromRow: teamFromRow,
});

const players = defineKind({
  table: "players",
  kind: "player",
  storedIn: "players",
  required: ["ign", "role"],
  defaults: (now) => ({
    realName: "",
    teamId: null,
    contractStatus: "unsigned",
    joinDate: now,
    status: "active",
    nationality: null,
    imageUrl: null,
    stats: null,
  }),
  toRow: playerColumns,
  fromRow: playerFromRow,
});

const contracts = defineKind({
  table: "contracts",
  kind: "contract",
  storedIn: "contracts",
  required: ["player", "startDate"],
  defaults: () => ({
    teamId: null,
    kind: "player",
    status: "draft",
    endDate: null,
    signedAt: null,
    terminatedAt: null,
    autoRenew: false,
    noticePeriodDays: null,
  }),
  toRow: contractColumns,
  fromRow: storedContractFromRow,
});

const schedule = defineKind({
  table: "schedule",
  kind: "event",
  storedIn: "schedule_entries",
  required: ["title", "startsAt"],
  defaults: () => ({
    kind: "event",
    teamId: null,
    game: "Other",
    status: "scheduled",
    endsAt: null,
    previousStartsAt: null,
    timezone: null,
    opponent: null,
    competition: null,
    stage: null,
    bestOf: null,
    location: null,
    streamUrl: null,
    result: null,
  }),
  toRow: scheduleEntryColumns,
  fromRow: scheduleEntryFromRow,
});

const prospects = defineKind({
  table: "prospects",
  kind: "prospect",
  storedIn: "prospects",
  required: ["ign"],
  defaults: (now) => ({
    realName: "",
    game: "Other",
    role: null,
    stage: "identified",
    stageChangedAt: now,
    priority: "medium",
    rating: null,
    currentTeam: null,
    nationality: null,
    region: null,
    source: null,
    assignedTo: null,
    notes: null,
    targetTeamId: null,
    playerId: null,
    contractEndDate: null,
    lastContactAt: null,
    tags: [],
  }),
  toRow: prospectColumns,
  fromRow: prospectFromRow,
});

export const RECORD_KINDS: { readonly [N in RecordTable]: RecordKind<N> } = {
  teams,
  players,
  contracts,
  schedule,
  prospects,
};

export const RECORD_TABLES = Object.keys(RECORD_KINDS) as RecordTable[];
