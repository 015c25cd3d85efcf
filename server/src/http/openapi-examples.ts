/** One full example of every resource: a small organization whose parts refer to each other. */
import type { Contract } from "@lineup/api/contracts";
import type { KeyDescription } from "@lineup/api/me";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import type { RosterEntry } from "@lineup/api/roster";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import { TIERS } from "@lineup/api/tiers";
import type { ComponentName } from "./openapi-schemas.ts";

const TEAM_ID = "team_01jb8v6k3ze5xr9m4q7w2t5n8d";
const PLAYER_ID = "player_01jb8v6k3ze5xr9m4q7w2t5n8d";
const JOINED = Date.UTC(2025, 0, 1);
const CREATED = Date.UTC(2025, 0, 3, 9, 30);
const UPDATED = Date.UTC(2025, 11, 18, 15, 4, 5);

export const EXAMPLE_REQUEST_ID = "req_01jb8v6k3ze5xr9m4q7w2t5n8d";
export const EXAMPLE_TIMESTAMP = "2026-01-01T12:00:00.000Z";
export const EXAMPLE_CURSOR = "WyJwbGF5ZXJzIl0";
const NOW_MS = Date.parse(EXAMPLE_TIMESTAMP);

const player: Player = {
  id: PLAYER_ID,
  ign: "Vex",
  realName: "Elin Sandberg",
  role: "Mid",
  teamId: TEAM_ID,
  contractStatus: "active",
  joinDate: JOINED,
  status: "active",
  nationality: "SE",
  imageUrl: "https://cdn.example.com/portraits/vex.png",
  stats: { kda: 4.2, winRate: "61%" },
  externalIds: { liquipedia: "vex" },
  createdAt: CREATED,
  updatedAt: UPDATED,
};

const team: Team = {
  id: TEAM_ID,
  name: "Northlight",
  tag: "NLT",
  game: "LoL",
  division: "main",
  region: "EMEA",
  logoUrl: "https://cdn.example.com/logos/northlight.svg",
  status: "active",
  playerCount: 7,
  externalIds: { liquipedia: "northlight" },
  createdAt: CREATED,
  updatedAt: UPDATED,
};

const rosterEntry: RosterEntry = {
  id: "assignment_01jb8v6k3ze5xr9m4q7w2t5n8d",
  playerId: PLAYER_ID,
  ign: player.ign,
  realName: player.realName,
  role: player.role,
  kind: "player",
  teamId: TEAM_ID,
  teamName: team.name,
  game: team.game,
  isStarter: true,
  isCaptain: false,
  status: player.status,
  joinedAt: JOINED,
  leftAt: null,
  createdAt: CREATED,
  updatedAt: UPDATED,
};

const scheduleEntry: ScheduleEntry = {
  id: "event_01jb8v6k3ze5xr9m4q7w2t5n8d",
  kind: "match",
  title: "Northlight – Harbor Nine",
  teamId: TEAM_ID,
  game: "LoL",
  status: "scheduled",
  startsAt: Date.UTC(2026, 0, 9, 18),
  endsAt: Date.UTC(2026, 0, 9, 21),
  previousStartsAt: null,
  timezone: "Europe/Berlin",
  opponent: "Harbor Nine",
  competition: "Winter League",
  stage: "Week 2",
  bestOf: 3,
  location: "Berlin",
  streamUrl: "https://example.com/live",
  result: null,
  externalIds: {},
  createdAt: CREATED,
  updatedAt: UPDATED,
};

const prospect: Prospect = {
  id: "prospect_01jb8v6k3ze5xr9m4q7w2t5n8d",
  ign: "Nyx",
  realName: "",
  game: "Valorant",
  role: "Duelist",
  stage: "contacted",
  stageChangedAt: UPDATED,
  priority: "high",
  rating: 8.5,
  currentTeam: "Harbor Nine Academy",
  nationality: "DK",
  region: "EMEA",
  source: "Ladder",
  assignedTo: "Mara Lindqvist",
  notes: "Answered within the hour.",
  targetTeamId: null,
  playerId: null,
  contractEndDate: Date.UTC(2026, 5, 30),
  lastContactAt: UPDATED,
  tags: ["aim", "ladder"],
  externalIds: {},
  createdAt: CREATED,
  updatedAt: UPDATED,
};

const contract: Contract = {
  id: "contract_01jb8v6k3ze5xr9m4q7w2t5n8d",
  playerId: PLAYER_ID,
  playerIgn: player.ign,
  teamId: TEAM_ID,
  kind: "player",
  status: "active",
  startDate: JOINED,
  endDate: NOW_MS + 21 * 86_400_000,
  signedAt: Date.UTC(2024, 11, 12),
  terminatedAt: null,
  autoRenew: false,
  noticePeriodDays: 30,
  daysRemaining: 21,
  externalIds: {},
  createdAt: CREATED,
  updatedAt: UPDATED,
};

const keyDescription: KeyDescription = {
  id: "key_01jb8v6k3ze5xr9m4q7w2t5n8d",
  name: "Website",
  permissions: PERMISSIONS.filter((permission) => permission.endsWith(":read")),
  expiresAt: null,
  organization: { id: "org_01jb8v6k3ze5xr9m4q7w2t5n8d", name: "Northlight Esports" },
  tier: "Pro",
  limits: {
    minute: { limit: TIERS.Pro.perMinute, remaining: TIERS.Pro.perMinute - 1, reset: NOW_MS + 60_000 },
    day: { limit: TIERS.Pro.perDay, remaining: TIERS.Pro.perDay - 1, reset: NOW_MS + 86_400_000 },
  },
};

export const EXAMPLES: Readonly<Record<ComponentName, object>> = {
  Player: player,
  Team: team,
  RosterEntry: rosterEntry,
  ScheduleEntry: scheduleEntry,
  Prospect: prospect,
  Contract: contract,
  KeyDescription: keyDescription,
};
