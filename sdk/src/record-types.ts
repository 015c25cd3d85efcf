/**
 * What the API takes and gives, with the words of its reference. Written by scripts/write-client-types.ts from the records in api/:
 * change those, and run "npm run types".
 */

/** A moment: milliseconds since the Unix epoch, an ISO 8601 date or date-time (UTC where it names no zone), or a Date. */
export type Moment = number | string | Date;

export type ErrorCode =
  | "INVALID_API_KEY"
  | "KEY_REVOKED"
  | "KEY_EXPIRED"
  | "INSUFFICIENT_PERMISSIONS"
  | "VALIDATION_ERROR"
  | "INVALID_PARAMETER"
  | "INVALID_ROLE"
  | "RATE_LIMIT_EXCEEDED"
  | "NOT_FOUND"
  | "INTERNAL_ERROR";

export type Permission =
  | "players:read"
  | "players:write"
  | "prospects:read"
  | "prospects:write"
  | "contracts:read"
  | "teams:read"
  | "roster:read"
  | "schedule:read";

export type Tier = "Free" | "Basic" | "Pro" | "Enterprise";

export type Game = "LoL" | "Valorant" | "CS2" | "Other";

export type Role =
  | "Top"
  | "Jungle"
  | "Mid"
  | "ADC"
  | "Support"
  | "Coach"
  | "Analyst"
  | "Substitute"
  | "Duelist"
  | "Initiator"
  | "Controller"
  | "Sentinel"
  | "Flex"
  | "IGL"
  | "Entry Fragger"
  | "AWPer"
  | "Rifler"
  | "Lurker"
  | "Player"
  | "Captain"
  | "Manager";

export type ChangeType =
  | "player.created"
  | "player.updated"
  | "player.deleted"
  | "team.created"
  | "team.updated"
  | "team.deleted"
  | "roster.created"
  | "roster.updated"
  | "roster.deleted"
  | "schedule.created"
  | "schedule.updated"
  | "schedule.deleted"
  | "prospect.created"
  | "prospect.updated"
  | "prospect.deleted"
  | "contract.created"
  | "contract.updated"
  | "contract.deleted"
  | "contract.expiring"
  | "contract.expired";

/** Somebody who plays for the organization or belongs to its staff. */
export interface Player {
  /** Identifier of the player. */
  id: string;
  /** In-game name. */
  ign: string;
  /** The player's real name; an empty string when it is unknown. */
  realName: string;
  /** What the player does in the team; one of the roles of the team's game, without a team of Other. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role: Role;
  /** The player's team, or null without one. */
  teamId: string | null;
  /** How things stand with the player's contract. The usual way is unsigned → in_negotiation → active → expired or terminated → in_negotiation or unsigned; other steps are possible, because people correct data. */
  contractStatus: "unsigned" | "in_negotiation" | "active" | "expired" | "terminated";
  /** When the player joined, in milliseconds since the Unix epoch. */
  joinDate: number;
  /** Whether the player plays. */
  status: "active" | "benched" | "inactive";
  /** Country as an ISO 3166-1 alpha-2 code in capitals, or null. */
  nationality: string | null;
  /** An https URL of a portrait, or null. */
  imageUrl: string | null;
  /** Statistics as name → number or string, at most 50, or null. Whole numbers beyond 2^53 lose precision: send them as strings. */
  stats: Record<string, number | string> | null;
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds: Record<string, string>;
  /** When the record was made, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** When the record last changed, in milliseconds since the Unix epoch. It changes on every change and never goes backwards: keep the latest you have seen and ask with `updatedSince`, less a minute. */
  updatedAt: number;
}

/** A team of the organization. */
export interface Team {
  /** Identifier of the team. */
  id: string;
  /** Name of the team. */
  name: string;
  /** Short tag shown beside names, or null. */
  tag: string | null;
  /** The game the team plays; it decides which roles its players may have. */
  game: Game;
  /** Main team, academy or other. */
  division: "main" | "academy" | "other";
  /** Region the team competes in, or null. */
  region: string | null;
  /** URL of the team's logo, or null. */
  logoUrl: string | null;
  /** Whether the team is active. */
  status: "active" | "inactive";
  /** How many players and staff are assigned to the team now. */
  playerCount: number;
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds: Record<string, string>;
  /** When the record was made, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** When the record last changed, in milliseconds since the Unix epoch. It changes on every change and never goes backwards: keep the latest you have seen and ask with `updatedSince`, less a minute. */
  updatedAt: number;
}

/** One assignment of a player to a team, open or past. */
export interface RosterEntry {
  /** Identifier of the assignment. */
  id: string;
  /** The player who is assigned. */
  playerId: string;
  /** The player's in-game name, as it is today. */
  ign: string;
  /** The player's real name, as it is today; an empty string when it is unknown. */
  realName: string;
  /** The role of this assignment; one of the roles of the team's game when it was made. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role: Role;
  /** Coach, Analyst and Manager are staff; every other role is a player's. */
  kind: "player" | "staff";
  /** The team of this assignment. */
  teamId: string;
  /** The team's name, as it is today. */
  teamName: string;
  /** The game of the team. */
  game: Game;
  /** Whether the player starts: every player but a Substitute, unless staff say otherwise. */
  isStarter: boolean;
  /** Whether the player is the team's captain. */
  isCaptain: boolean;
  /** The player's status, as it is today. */
  status: "active" | "benched" | "inactive";
  /** When the assignment began, in milliseconds since the Unix epoch. */
  joinedAt: number;
  /** When the assignment ended or will end, in milliseconds since the Unix epoch; null while it is open. */
  leftAt: number | null;
  /** When the record was made, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** When the record last changed, in milliseconds since the Unix epoch. It changes on every change and never goes backwards: keep the latest you have seen and ask with `updatedSince`, less a minute. */
  updatedAt: number;
}

/** A match, scrim, practice or event. */
export interface ScheduleEntry {
  /** Identifier of the entry. */
  id: string;
  /** What kind of entry it is. */
  kind: "match" | "scrim" | "practice" | "event";
  /** What the entry is called. */
  title: string;
  /** The team it concerns, or null when it concerns the organization. */
  teamId: string | null;
  /** The game it belongs to. */
  game: Game;
  /** How things stand with the entry. */
  status: "scheduled" | "live" | "completed" | "postponed" | "cancelled";
  /** When it starts, in milliseconds since the Unix epoch. */
  startsAt: number;
  /** When it ends, in milliseconds since the Unix epoch, or null when that is open. */
  endsAt: number | null;
  /** When it was to start before it was moved, in milliseconds since the Unix epoch; null when it was never moved. */
  previousStartsAt: number | null;
  /** IANA name of the time zone it takes place in, or null. */
  timezone: string | null;
  /** Who the team plays against, or null. */
  opponent: string | null;
  /** The competition it is part of, or null. */
  competition: string | null;
  /** The stage of the competition, or null. */
  stage: string | null;
  /** The number of games in the series, always odd, or null. */
  bestOf: number | null;
  /** Where it takes place, or null. */
  location: string | null;
  /** Where it can be watched, or null. */
  streamUrl: string | null;
  /** The score, or null while there is none. */
  result: {
    own: number;
    opponent: number;
  } | null;
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds: Record<string, string>;
  /** When the record was made, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** When the record last changed, in milliseconds since the Unix epoch. It changes on every change and never goes backwards: keep the latest you have seen and ask with `updatedSince`, less a minute. */
  updatedAt: number;
}

/** Somebody the organization may sign. */
export interface Prospect {
  /** Identifier of the prospect. */
  id: string;
  /** In-game name. */
  ign: string;
  /** The prospect's real name; an empty string when it is unknown. */
  realName: string;
  /** The game the prospect plays. */
  game: Game;
  /** A role of the prospect's game, or null. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role: Role | null;
  /** How far the prospect has come in the pipeline. Any stage may follow any other. */
  stage: "identified" | "contacted" | "trial" | "offered" | "signed" | "rejected";
  /** When the stage last changed, in milliseconds since the Unix epoch. */
  stageChangedAt: number;
  /** How much the organization wants the prospect. */
  priority: "low" | "medium" | "high";
  /** The scouts' rating from 0 to 10, or null. */
  rating: number | null;
  /** The team the prospect plays for now, or null. */
  currentTeam: string | null;
  /** The prospect's nationality as free text, in words or as a code, or null. */
  nationality: string | null;
  /** Region the prospect plays in, or null. */
  region: string | null;
  /** How the prospect was found, or null. */
  source: string | null;
  /** Who looks after the prospect, or null. A name with a comma cannot be filtered by. */
  assignedTo: string | null;
  /** Free text of up to 10,000 characters, line breaks included, or null. */
  notes: string | null;
  /** The team the prospect is meant for, or null. */
  targetTeamId: string | null;
  /** The player a signed prospect became, or null. Staff set it. */
  playerId: string | null;
  /** When the prospect's present contract ends, in milliseconds since the Unix epoch, or null. */
  contractEndDate: number | null;
  /** When somebody last spoke with the prospect, in milliseconds since the Unix epoch, or null. */
  lastContactAt: number | null;
  /** Words to find the prospect by, at most 20. */
  tags: string[];
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds: Record<string, string>;
  /** When the record was made, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** When the record last changed, in milliseconds since the Unix epoch. It changes on every change and never goes backwards: keep the latest you have seen and ask with `updatedSince`, less a minute. */
  updatedAt: number;
}

/** A contract with a player or a member of staff. */
export interface Contract {
  /** Identifier of the contract. */
  id: string;
  /** The player the contract is with. */
  playerId: string;
  /** The player's in-game name, as it is today. */
  playerIgn: string;
  /** The team the contract is for, or null. */
  teamId: string | null;
  /** What kind of contract it is. */
  kind: "player" | "staff" | "trial" | "loan";
  /** How things stand with the contract. An active one reads `expired` from the moment its `endDate` has passed. */
  status: "draft" | "pending" | "active" | "expired" | "terminated";
  /** When the contract starts, in milliseconds since the Unix epoch. */
  startDate: number;
  /** When the contract ends, in milliseconds since the Unix epoch; null when it is open-ended. */
  endDate: number | null;
  /** When it was signed, in milliseconds since the Unix epoch, or null. */
  signedAt: number | null;
  /** When it was terminated, in milliseconds since the Unix epoch, or null. */
  terminatedAt: number | null;
  /** Whether it renews itself at its end. */
  autoRenew: boolean;
  /** Days of notice either side must give, or null. */
  noticePeriodDays: number | null;
  /** Days until the end of an active contract, rounded up; null when it is not active or open-ended. */
  daysRemaining: number | null;
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds: Record<string, string>;
  /** When the record was made, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** When the record last changed, in milliseconds since the Unix epoch. It changes on every change and never goes backwards: keep the latest you have seen and ask with `updatedSince`, less a minute. */
  updatedAt: number;
}

/** The API key that made the request. */
export interface KeyDescription {
  /** Identifier of the key; not the key itself. */
  id: string;
  /** The name the key was given. */
  name: string;
  /** What the key may do. */
  permissions: Permission[];
  /** When the key stops working, in milliseconds since the Unix epoch; null when it never does. */
  expiresAt: number | null;
  /** The organization whose data the key opens. */
  organization: {
    id: string;
    name: string;
  };
  /** The plan of the organization; it sets the limits. */
  tier: Tier;
  /** What is left of both rolling windows, this request counted. `reset` is in milliseconds since the Unix epoch, unlike the header `X-RateLimit-Reset`, which is in seconds. */
  limits: {
    minute: {
      limit: number;
      remaining: number;
      /** When the oldest counted request leaves the window */
      reset: number;
    };
    day: {
      limit: number;
      remaining: number;
      /** When the oldest counted request leaves the window */
      reset: number;
    };
  };
}

/** Something that has happened to a record. */
export interface Change {
  /** Identifier of the change; a webhook carries the same one. */
  id: string;
  /** What has happened to which kind of record. */
  type: ChangeType;
  /** Identifier of the record that has changed. */
  resourceId: string;
  /** The names of the fields that have changed; of a new record, of those that were set. */
  fields: string[];
  /** Rises with every change of the organization, in the order of commits; may skip. */
  sequence: number;
  /** When it happened, in milliseconds since the Unix epoch. */
  occurredAt: number;
  /** Of `contract.expiring`: days to the end of the contract; else null. */
  days: number | null;
  /** Of a record that is gone: whether it was deleted or the person erased; else null. */
  reason: "deleted" | "erased" | null;
}

/** The fields to set. Texts are trimmed and hold no control characters. Not writable: `id`, `createdAt`, `updatedAt`. */
export interface PlayerCreate {
  /** In-game name. */
  ign: string;
  /** The player's real name; an empty string when it is unknown. When left out: an empty string. */
  realName?: string | undefined;
  /** Must be a role of the game of the team the player will have; without a team, of Other. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role: Role;
  /** A team of your organization, or null. */
  teamId?: string | null | undefined;
  /** How things stand with the player's contract. The usual way is unsigned → in_negotiation → active → expired or terminated → in_negotiation or unsigned; other steps are possible, because people correct data. When left out: `unsigned`. */
  contractStatus?: "unsigned" | "in_negotiation" | "active" | "expired" | "terminated" | undefined;
  /** When the player joined, in milliseconds since the Unix epoch; now when left out. */
  joinDate?: number | undefined;
  /** Whether the player plays. When left out: `active`. */
  status?: "active" | "benched" | "inactive" | undefined;
  /** Country as an ISO 3166-1 alpha-2 code in capitals, or null. */
  nationality?: string | null | undefined;
  /** An https URL of a portrait, or null. */
  imageUrl?: string | null | undefined;
  /** Statistics as name → number or string, at most 50, or null. Whole numbers beyond 2^53 lose precision: send them as strings. */
  stats?: Record<string, number | string> | null | undefined;
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds?: Record<string, string> | undefined;
}

/** The fields to change, at least one. Texts are trimmed and hold no control characters. Not writable: `id`, `createdAt`, `updatedAt`. */
export interface PlayerUpdate {
  /** In-game name. */
  ign?: string | undefined;
  /** The player's real name; an empty string when it is unknown. */
  realName?: string | undefined;
  /** Must be a role of the game of the team the player will have; without a team, of Other. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role?: Role | undefined;
  /** A team of your organization; null takes the player out of the team. The role must be valid for the new team. */
  teamId?: string | null | undefined;
  /** How things stand with the player's contract. The usual way is unsigned → in_negotiation → active → expired or terminated → in_negotiation or unsigned; other steps are possible, because people correct data. */
  contractStatus?: "unsigned" | "in_negotiation" | "active" | "expired" | "terminated" | undefined;
  /** When the player joined, in milliseconds since the Unix epoch. */
  joinDate?: number | undefined;
  /** Whether the player plays. */
  status?: "active" | "benched" | "inactive" | undefined;
  /** Country as an ISO 3166-1 alpha-2 code in capitals, or null. */
  nationality?: string | null | undefined;
  /** An https URL of a portrait, or null. */
  imageUrl?: string | null | undefined;
  /** Replaces all statistics; null clears them. */
  stats?: Record<string, number | string> | null | undefined;
  /** Merged into what is there: a string sets the id in that system, null removes the system. At most 20 may remain. */
  externalIds?: Record<string, string | null> | undefined;
}

/** The fields to set. Texts are trimmed and hold no control characters. Not writable: `id`, `createdAt`, `updatedAt`, `stageChangedAt`, `playerId`. */
export interface ProspectCreate {
  /** In-game name. */
  ign: string;
  /** The prospect's real name; an empty string when it is unknown. When left out: an empty string. */
  realName?: string | undefined;
  /** The game the prospect plays. When left out: `Other`. */
  game?: Game | undefined;
  /** Must be a role of the prospect's `game`, or null. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role?: Role | null | undefined;
  /** How far the prospect has come in the pipeline. Any stage may follow any other. When left out: `identified`. */
  stage?: "identified" | "contacted" | "trial" | "offered" | "signed" | "rejected" | undefined;
  /** How much the organization wants the prospect. When left out: `medium`. */
  priority?: "low" | "medium" | "high" | undefined;
  /** The scouts' rating from 0 to 10, or null. */
  rating?: number | null | undefined;
  /** The team the prospect plays for now, or null. */
  currentTeam?: string | null | undefined;
  /** The prospect's nationality as free text, in words or as a code, or null. */
  nationality?: string | null | undefined;
  /** Region the prospect plays in, or null. */
  region?: string | null | undefined;
  /** How the prospect was found, or null. */
  source?: string | null | undefined;
  /** Who looks after the prospect, or null. A name with a comma cannot be filtered by. */
  assignedTo?: string | null | undefined;
  /** Free text of up to 10,000 characters, line breaks included, or null. */
  notes?: string | null | undefined;
  /** A team of your organization, or null. */
  targetTeamId?: string | null | undefined;
  /** When the prospect's present contract ends, in milliseconds since the Unix epoch, or null. */
  contractEndDate?: number | null | undefined;
  /** When somebody last spoke with the prospect, in milliseconds since the Unix epoch, or null. */
  lastContactAt?: number | null | undefined;
  /** Words to find the prospect by, at most 20. */
  tags?: readonly string[] | undefined;
  /** The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization. */
  externalIds?: Record<string, string> | undefined;
}

/** The fields to change, at least one. Texts are trimmed and hold no control characters. Not writable: `id`, `createdAt`, `updatedAt`, `stageChangedAt`, `playerId`. */
export interface ProspectUpdate {
  /** In-game name. */
  ign?: string | undefined;
  /** The prospect's real name; an empty string when it is unknown. */
  realName?: string | undefined;
  /** The game the prospect plays. */
  game?: Game | undefined;
  /** Must be a role of the prospect's `game`, or null. LoL: Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute. Valorant: Duelist, Initiator, Controller, Sentinel, Flex, IGL, Coach, Analyst, Substitute. CS2: Entry Fragger, AWPer, Rifler, Support, Lurker, IGL, Coach, Analyst, Substitute. Other: Player, Captain, Coach, Analyst, Manager, Substitute. */
  role?: Role | null | undefined;
  /** How far the prospect has come in the pipeline. Any stage may follow any other. */
  stage?: "identified" | "contacted" | "trial" | "offered" | "signed" | "rejected" | undefined;
  /** How much the organization wants the prospect. */
  priority?: "low" | "medium" | "high" | undefined;
  /** The scouts' rating from 0 to 10, or null. */
  rating?: number | null | undefined;
  /** The team the prospect plays for now, or null. */
  currentTeam?: string | null | undefined;
  /** The prospect's nationality as free text, in words or as a code, or null. */
  nationality?: string | null | undefined;
  /** Region the prospect plays in, or null. */
  region?: string | null | undefined;
  /** How the prospect was found, or null. */
  source?: string | null | undefined;
  /** Who looks after the prospect, or null. A name with a comma cannot be filtered by. */
  assignedTo?: string | null | undefined;
  /** Free text of up to 10,000 characters, line breaks included, or null. */
  notes?: string | null | undefined;
  /** A team of your organization, or null. */
  targetTeamId?: string | null | undefined;
  /** When the prospect's present contract ends, in milliseconds since the Unix epoch, or null. */
  contractEndDate?: number | null | undefined;
  /** When somebody last spoke with the prospect, in milliseconds since the Unix epoch, or null. */
  lastContactAt?: number | null | undefined;
  /** Replaces all tags. */
  tags?: readonly string[] | undefined;
  /** Merged into what is there: a string sets the id in that system, null removes the system. At most 20 may remain. */
  externalIds?: Record<string, string | null> | undefined;
}

/** List all players of the organization */
export interface ListPlayersQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, in order of creation. */
  sort?:
    | "id"
    | "-id"
    | "ign"
    | "-ign"
    | "realName"
    | "-realName"
    | "role"
    | "-role"
    | "teamId"
    | "-teamId"
    | "contractStatus"
    | "-contractStatus"
    | "joinDate"
    | "-joinDate"
    | "status"
    | "-status"
    | "nationality"
    | "-nationality"
    | "imageUrl"
    | "-imageUrl"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most 100. */
  externalId?: string | undefined;
  /** Players of this team; `none` for those without one. Several values, separated by commas, mean any of them; at most 100. */
  teamId?: string | readonly string[] | undefined;
  /** Players whose team plays this game; `Other` includes nobody without a team. Several values, separated by commas, mean any of them; at most 100. */
  game?: Game | readonly Game[] | undefined;
  /** Players with this role. Several values, separated by commas, mean any of them; at most 100. */
  role?: Role | readonly Role[] | undefined;
  /** Players with this status. Several values, separated by commas, mean any of them; at most 100. */
  status?: "active" | "benched" | "inactive" | readonly ("active" | "benched" | "inactive")[] | undefined;
  /** Players with this contract status. Several values, separated by commas, mean any of them; at most 100. */
  contractStatus?:
    | "unsigned"
    | "in_negotiation"
    | "active"
    | "expired"
    | "terminated"
    | readonly ("unsigned" | "in_negotiation" | "active" | "expired" | "terminated")[]
    | undefined;
  /** Part of `ign` or `realName`, in any case. At most 200 characters. */
  search?: string | undefined;
}

/** List all teams of the organization */
export interface ListTeamsQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, in order of creation. */
  sort?:
    | "id"
    | "-id"
    | "name"
    | "-name"
    | "tag"
    | "-tag"
    | "game"
    | "-game"
    | "division"
    | "-division"
    | "region"
    | "-region"
    | "logoUrl"
    | "-logoUrl"
    | "status"
    | "-status"
    | "playerCount"
    | "-playerCount"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most 100. */
  externalId?: string | undefined;
  /** Teams that play this game. Several values, separated by commas, mean any of them; at most 100. */
  game?: Game | readonly Game[] | undefined;
  /** Teams with this status. Several values, separated by commas, mean any of them; at most 100. */
  status?: "active" | "inactive" | readonly ("active" | "inactive")[] | undefined;
  /** Part of `name` or `tag`, in any case. At most 200 characters. */
  search?: string | undefined;
}

/** Roster information */
export interface ListRosterQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, in order of creation. */
  sort?:
    | "id"
    | "-id"
    | "playerId"
    | "-playerId"
    | "ign"
    | "-ign"
    | "realName"
    | "-realName"
    | "role"
    | "-role"
    | "kind"
    | "-kind"
    | "teamId"
    | "-teamId"
    | "teamName"
    | "-teamName"
    | "game"
    | "-game"
    | "isStarter"
    | "-isStarter"
    | "isCaptain"
    | "-isCaptain"
    | "status"
    | "-status"
    | "joinedAt"
    | "-joinedAt"
    | "leftAt"
    | "-leftAt"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** Assignments to this team. Several values, separated by commas, mean any of them; at most 100. */
  teamId?: string | readonly string[] | undefined;
  /** Assignments to a team that plays this game. Several values, separated by commas, mean any of them; at most 100. */
  game?: Game | readonly Game[] | undefined;
  /** Assignments with this role. Several values, separated by commas, mean any of them; at most 100. */
  role?: Role | readonly Role[] | undefined;
  /** Players, or staff. Several values, separated by commas, mean any of them; at most 100. */
  kind?: "player" | "staff" | readonly ("player" | "staff")[] | undefined;
  /** Assignments of players with this status. Several values, separated by commas, mean any of them; at most 100. */
  status?: "active" | "benched" | "inactive" | readonly ("active" | "benched" | "inactive")[] | undefined;
  /** The assignments that were open at this moment. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  asOf?: Moment | undefined;
}

/** Upcoming schedule and matches */
export interface ListScheduleQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, soonest first. */
  sort?:
    | "id"
    | "-id"
    | "kind"
    | "-kind"
    | "title"
    | "-title"
    | "teamId"
    | "-teamId"
    | "game"
    | "-game"
    | "status"
    | "-status"
    | "startsAt"
    | "-startsAt"
    | "endsAt"
    | "-endsAt"
    | "previousStartsAt"
    | "-previousStartsAt"
    | "timezone"
    | "-timezone"
    | "opponent"
    | "-opponent"
    | "competition"
    | "-competition"
    | "stage"
    | "-stage"
    | "bestOf"
    | "-bestOf"
    | "location"
    | "-location"
    | "streamUrl"
    | "-streamUrl"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most 100. */
  externalId?: string | undefined;
  /** Entries of this team. Several values, separated by commas, mean any of them; at most 100. */
  teamId?: string | readonly string[] | undefined;
  /** Entries of this game. Several values, separated by commas, mean any of them; at most 100. */
  game?: Game | readonly Game[] | undefined;
  /** Entries of this kind. Several values, separated by commas, mean any of them; at most 100. */
  kind?: "match" | "scrim" | "practice" | "event" | readonly ("match" | "scrim" | "practice" | "event")[] | undefined;
  /** Entries with this status, past ones included. Several values, separated by commas, mean any of them; at most 100. */
  status?:
    | "scheduled"
    | "live"
    | "completed"
    | "postponed"
    | "cancelled"
    | readonly ("scheduled" | "live" | "completed" | "postponed" | "cancelled")[]
    | undefined;
  /** Entries that start at or after this moment. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  from?: Moment | undefined;
  /** Entries that start at or before this moment. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  to?: Moment | undefined;
}

/** List all prospects in the pipeline */
export interface ListProspectsQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, in order of creation. */
  sort?:
    | "id"
    | "-id"
    | "ign"
    | "-ign"
    | "realName"
    | "-realName"
    | "game"
    | "-game"
    | "role"
    | "-role"
    | "stage"
    | "-stage"
    | "stageChangedAt"
    | "-stageChangedAt"
    | "priority"
    | "-priority"
    | "rating"
    | "-rating"
    | "currentTeam"
    | "-currentTeam"
    | "nationality"
    | "-nationality"
    | "region"
    | "-region"
    | "source"
    | "-source"
    | "assignedTo"
    | "-assignedTo"
    | "notes"
    | "-notes"
    | "targetTeamId"
    | "-targetTeamId"
    | "playerId"
    | "-playerId"
    | "contractEndDate"
    | "-contractEndDate"
    | "lastContactAt"
    | "-lastContactAt"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most 100. */
  externalId?: string | undefined;
  /** Prospects in this stage. Several values, separated by commas, mean any of them; at most 100. */
  stage?:
    | "identified"
    | "contacted"
    | "trial"
    | "offered"
    | "signed"
    | "rejected"
    | readonly ("identified" | "contacted" | "trial" | "offered" | "signed" | "rejected")[]
    | undefined;
  /** Prospects for this game. Several values, separated by commas, mean any of them; at most 100. */
  game?: Game | readonly Game[] | undefined;
  /** Prospects with this role. Several values, separated by commas, mean any of them; at most 100. */
  role?: Role | readonly Role[] | undefined;
  /** Prospects of this priority. Several values, separated by commas, mean any of them; at most 100. */
  priority?: "low" | "medium" | "high" | readonly ("low" | "medium" | "high")[] | undefined;
  /** Prospects assigned to exactly this person. Several values, separated by commas, mean any of them; at most 100. */
  assignedTo?: string | undefined;
  /** Part of `ign` or `realName`, in any case. At most 200 characters. */
  search?: string | undefined;
}

/** List all contracts */
export interface ListContractsQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, in order of creation. */
  sort?:
    | "id"
    | "-id"
    | "playerId"
    | "-playerId"
    | "playerIgn"
    | "-playerIgn"
    | "teamId"
    | "-teamId"
    | "kind"
    | "-kind"
    | "status"
    | "-status"
    | "startDate"
    | "-startDate"
    | "endDate"
    | "-endDate"
    | "signedAt"
    | "-signedAt"
    | "terminatedAt"
    | "-terminatedAt"
    | "autoRenew"
    | "-autoRenew"
    | "noticePeriodDays"
    | "-noticePeriodDays"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most 100. */
  externalId?: string | undefined;
  /** Contracts with this status. Several values, separated by commas, mean any of them; at most 100. */
  status?:
    | "draft"
    | "pending"
    | "active"
    | "expired"
    | "terminated"
    | readonly ("draft" | "pending" | "active" | "expired" | "terminated")[]
    | undefined;
  /** Contracts of this player. Several values, separated by commas, mean any of them; at most 100. */
  playerId?: string | readonly string[] | undefined;
  /** Contracts with this team. Several values, separated by commas, mean any of them; at most 100. */
  teamId?: string | readonly string[] | undefined;
  /** Contracts whose `endDate` lies before this moment. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  endsBefore?: Moment | undefined;
  /** Contracts whose `endDate` lies after this moment. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  endsAfter?: Moment | undefined;
}

/** Contracts expiring soon */
export interface ListExpiringContractsQuery {
  /** The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first 500 characters. By default, soonest end first. */
  sort?:
    | "id"
    | "-id"
    | "playerId"
    | "-playerId"
    | "playerIgn"
    | "-playerIgn"
    | "teamId"
    | "-teamId"
    | "kind"
    | "-kind"
    | "status"
    | "-status"
    | "startDate"
    | "-startDate"
    | "endDate"
    | "-endDate"
    | "signedAt"
    | "-signedAt"
    | "terminatedAt"
    | "-terminatedAt"
    | "autoRenew"
    | "-autoRenew"
    | "noticePeriodDays"
    | "-noticePeriodDays"
    | "createdAt"
    | "-createdAt"
    | "updatedAt"
    | "-updatedAt"
    | undefined;
  /** Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  updatedSince?: Moment | undefined;
  /** The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most 100. */
  externalId?: string | undefined;
  /** How many days ahead to look; 30 when left out. */
  days?: number | undefined;
  /** Contracts with this team. Several values, separated by commas, mean any of them; at most 100. */
  teamId?: string | readonly string[] | undefined;
}

/** What has changed */
export interface ListChangesQuery {
  /** The most changes to answer with; 100 when left out. */
  limit?: number | undefined;
  /** Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own. */
  cursor?: string | undefined;
  /** Begins with the first change at or after this moment. Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC. */
  since?: Moment | undefined;
  /** Changes of this type. Several values, separated by commas, mean any of them; at most 100. */
  type?: ChangeType | readonly ChangeType[] | undefined;
}
