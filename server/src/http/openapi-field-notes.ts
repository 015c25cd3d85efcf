/** What each field means, in the words of the reference; and what a body's field is when it is left out. */
import { GAMES, ROLES_BY_GAME } from "@lineup/api/roles";

type Notes = Readonly<Record<string, string>>;

const MS = "in milliseconds since the Unix epoch";

const RECORD_NOTES: Notes = {
  externalIds:
    "The record's ids in other systems, as system name → id there, at most 20. System names are made of `a`–`z`, `0`–`9`, `_` and `-`. A pair of system and id belongs to one record of a kind in your organization.",
  createdAt: `When the record was made, ${MS}.`,
  updatedAt: `When the record last changed, ${MS}. It changes on every change and never goes backwards: keep the latest you have seen and ask with \`updatedSince\`, less a minute.`,
};

const ROLE_TABLE = `${GAMES.map((game) => `${game}: ${ROLES_BY_GAME[game].join(", ")}`).join(". ")}.`;

/** By component, then by field. A body takes the notes of its resource where it has none of its own. */
export const FIELD_NOTES: Readonly<Record<string, Notes>> = {
  Player: {
    ...RECORD_NOTES,
    id: "Identifier of the player.",
    ign: "In-game name.",
    realName: "The player's real name; an empty string when it is unknown.",
    role: `What the player does in the team; one of the roles of the team's game, without a team of Other. ${ROLE_TABLE}`,
    teamId: "The player's team, or null without one.",
    contractStatus:
      "How things stand with the player's contract. The usual way is unsigned → in_negotiation → active → expired or terminated → in_negotiation or unsigned; other steps are possible, because people correct data.",
    joinDate: `When the player joined, ${MS}.`,
    status: "Whether the player plays.",
    nationality: "Country as an ISO 3166-1 alpha-2 code in capitals, or null.",
    imageUrl: "An https URL of a portrait, or null.",
    stats:
      "Statistics as name → number or string, at most 50, or null. Whole numbers beyond 2^53 lose precision: send them as strings.",
  },
  PlayerCreate: {
    role: `Must be a role of the game of the team the player will have; without a team, of Other. ${ROLE_TABLE}`,
    teamId: "A team of your organization, or null.",
    joinDate: `When the player joined, ${MS}; now when left out.`,
  },
  PlayerUpdate: {
    role: `Must be a role of the game of the team the player will have; without a team, of Other. ${ROLE_TABLE}`,
    teamId:
      "A team of your organization; null takes the player out of the team. The role must be valid for the new team.",
    stats: "Replaces all statistics; null clears them.",
    externalIds:
      "Merged into what is there: a string sets the id in that system, null removes the system. At most 20 may remain.",
  },
  Team: {
    ...RECORD_NOTES,
    id: "Identifier of the team.",
    name: "Name of the team.",
    tag: "Short tag shown beside names, or null.",
    game: "The game the team plays; it decides which roles its players may have.",
    division: "Main team, academy or other.",
    region: "Region the team competes in, or null.",
    logoUrl: "URL of the team's logo, or null.",
    status: "Whether the team is active.",
    playerCount: "How many players and staff are assigned to the team now.",
  },
  RosterEntry: {
    id: "Identifier of the assignment.",
    playerId: "The player who is assigned.",
    ign: "The player's in-game name, as it is today.",
    realName: "The player's real name, as it is today; an empty string when it is unknown.",
    role: `The role of this assignment; one of the roles of the team's game when it was made. ${ROLE_TABLE}`,
    kind: "Coach, Analyst and Manager are staff; every other role is a player's.",
    teamId: "The team of this assignment.",
    teamName: "The team's name, as it is today.",
    game: "The game of the team.",
    isStarter: "Whether the player starts: every player but a Substitute, unless staff say otherwise.",
    isCaptain: "Whether the player is the team's captain.",
    status: "The player's status, as it is today.",
    joinedAt: `When the assignment began, ${MS}.`,
    leftAt: `When the assignment ended or will end, ${MS}; null while it is open.`,
    createdAt: RECORD_NOTES.createdAt ?? "",
    updatedAt: RECORD_NOTES.updatedAt ?? "",
  },
  ScheduleEntry: {
    ...RECORD_NOTES,
    id: "Identifier of the entry.",
    kind: "What kind of entry it is.",
    title: "What the entry is called.",
    teamId: "The team it concerns, or null when it concerns the organization.",
    game: "The game it belongs to.",
    status: "How things stand with the entry.",
    startsAt: `When it starts, ${MS}.`,
    endsAt: `When it ends, ${MS}, or null when that is open.`,
    previousStartsAt: `When it was to start before it was moved, ${MS}; null when it was never moved.`,
    timezone: "IANA name of the time zone it takes place in, or null.",
    opponent: "Who the team plays against, or null.",
    competition: "The competition it is part of, or null.",
    stage: "The stage of the competition, or null.",
    bestOf: "The number of games in the series, always odd, or null.",
    location: "Where it takes place, or null.",
    streamUrl: "Where it can be watched, or null.",
    result: "The score, or null while there is none.",
  },
  Prospect: {
    ...RECORD_NOTES,
    id: "Identifier of the prospect.",
    ign: "In-game name.",
    realName: "The prospect's real name; an empty string when it is unknown.",
    game: "The game the prospect plays.",
    role: `A role of the prospect's game, or null. ${ROLE_TABLE}`,
    stage: "How far the prospect has come in the pipeline. Any stage may follow any other.",
    stageChangedAt: `When the stage last changed, ${MS}.`,
    priority: "How much the organization wants the prospect.",
    rating: "The scouts' rating from 0 to 10, or null.",
    currentTeam: "The team the prospect plays for now, or null.",
    nationality: "The prospect's nationality as free text, in words or as a code, or null.",
    region: "Region the prospect plays in, or null.",
    source: "How the prospect was found, or null.",
    assignedTo: "Who looks after the prospect, or null. A name with a comma cannot be filtered by.",
    notes: "Free text of up to 10,000 characters, line breaks included, or null.",
    targetTeamId: "The team the prospect is meant for, or null.",
    playerId: "The player a signed prospect became, or null. Staff set it.",
    contractEndDate: `When the prospect's present contract ends, ${MS}, or null.`,
    lastContactAt: `When somebody last spoke with the prospect, ${MS}, or null.`,
    tags: "Words to find the prospect by, at most 20.",
  },
  ProspectCreate: {
    role: `Must be a role of the prospect's \`game\`, or null. ${ROLE_TABLE}`,
    targetTeamId: "A team of your organization, or null.",
  },
  ProspectUpdate: {
    role: `Must be a role of the prospect's \`game\`, or null. ${ROLE_TABLE}`,
    targetTeamId: "A team of your organization, or null.",
    tags: "Replaces all tags.",
    externalIds:
      "Merged into what is there: a string sets the id in that system, null removes the system. At most 20 may remain.",
  },
  Contract: {
    ...RECORD_NOTES,
    id: "Identifier of the contract.",
    playerId: "The player the contract is with.",
    playerIgn: "The player's in-game name, as it is today.",
    teamId: "The team the contract is for, or null.",
    kind: "What kind of contract it is.",
    status:
      "How things stand with the contract. An active one reads `expired` from the moment its `endDate` has passed.",
    startDate: `When the contract starts, ${MS}.`,
    endDate: `When the contract ends, ${MS}; null when it is open-ended.`,
    signedAt: `When it was signed, ${MS}, or null.`,
    terminatedAt: `When it was terminated, ${MS}, or null.`,
    autoRenew: "Whether it renews itself at its end.",
    noticePeriodDays: "Days of notice either side must give, or null.",
    daysRemaining: "Days until the end of an active contract, rounded up; null when it is not active or open-ended.",
  },
  KeyDescription: {
    id: "Identifier of the key; not the key itself.",
    name: "The name the key was given.",
    permissions: "What the key may do.",
    expiresAt: `When the key stops working, ${MS}; null when it never does.`,
    organization: "The organization whose data the key opens.",
    tier: "The plan of the organization; it sets the limits.",
    limits:
      "What is left of both rolling windows, this request counted. `reset` is in milliseconds since the Unix epoch, unlike the header `X-RateLimit-Reset`, which is in seconds.",
  },
};

/**
 * What a field of a POST is when it is left out, where that is a fixed value. Said in words: generators make what has a `default` a
 * field that must be sent.
 */
export const BODY_DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PlayerCreate: { realName: "", contractStatus: "unsigned", status: "active" },
  ProspectCreate: { realName: "", game: "Other", stage: "identified", priority: "medium" },
};
