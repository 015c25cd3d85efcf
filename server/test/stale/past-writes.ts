/**
 * Writes past the API, as an import or a command makes them through a store of its own, with what the model makes of each. Anyone who
 * writes so says itself when a record has changed; it follows the same rule as the server.
 */
import { CONTRACT_KINDS, CONTRACT_STATES } from "@lineup/api/contracts";
import { CONTRACT_STATUSES, PLAYER_STATUSES } from "@lineup/api/players";
import { GAMES } from "@lineup/api/roles";
import { SCHEDULE_KINDS, SCHEDULE_STATUSES, type ScheduleEntry } from "@lineup/api/schedule";
import { TEAM_STATUSES } from "@lineup/api/teams";
import { DAY_MS } from "@lineup/api/tiers";
import { contractStore } from "../../src/resources/contracts/contract-store.ts";
import { scheduleStore } from "../../src/resources/schedule/schedule-store.ts";
import type { OrgStore } from "../../src/store/org-store.ts";
import { searchTextOf } from "../../src/store/record-rows.ts";
import {
  insertContracts,
  insertEntries,
  insertTeams,
  makeContract,
  makeEntry,
  makeTeam,
} from "../contract/seed-records.ts";
import { later, type Model, type StoredContract, shownChangeOf } from "./model.ts";
import type { ListPath } from "./model-answers.ts";
import type { Random } from "./random.ts";
import { TEAM_NAMES, TITLES } from "./words.ts";

export interface PastWrite {
  /** The list that shows it. */
  readonly shownBy: ListPath;
  write(org: OrgStore): Promise<void>;
  /** Once it is written. */
  commit(): void;
}

const CONTRACTS_MAX = 30;
const ENTRIES_MAX = 30;
export const TEAMS_MAX = 6;
const HOUR_MS = 3_600_000;

export function makePastWrite(random: Random, model: Model, now: number): PastWrite {
  const kind = random.weighted({ contract: 5, entry: 5, team: 2, assignment: 1, player: 1, prospect: 1 });
  if (kind === "contract") return writeContract(random, model, now);
  if (kind === "entry") return writeEntry(random, model, now);
  if (kind === "assignment") return writeAssignment(random, model, now);
  if (kind === "player") return writePlayer(random, model, now);
  if (kind === "prospect") return writeProspect(random, model, now);
  return writeTeam(random, model, now);
}

/** Soon, so that time comes to it; often on a whole day, where days are counted; often in the past. */
function someEnd(random: Random, now: number): number {
  if (random.chance(0.3)) return now + random.between(-400, 400) * DAY_MS;
  if (random.chance(0.3)) return now + random.between(1, 40) * DAY_MS + random.between(-1, 1);
  return now + random.between(-HOUR_MS, 3 * DAY_MS);
}

export function writeContract(random: Random, model: Model, now: number): PastWrite {
  const existing = model.contracts.size < CONTRACTS_MAX ? undefined : random.pick([...model.contracts.values()]);
  const endDate = random.chance(0.1) ? null : someEnd(random, now);
  const terms = {
    startDate: (endDate ?? now) - random.between(0, 500) * DAY_MS,
    teamId: random.pick([null, ...model.teams.keys()]),
    kind: random.pick(CONTRACT_KINDS),
    status: random.chance(0.75) ? "active" : random.pick(CONTRACT_STATES),
    endDate,
    autoRenew: random.chance(0.5),
    noticePeriodDays: random.pick([null, 14, 30]),
  } as const;
  const updatedAt = existing === undefined ? now : later(shownChangeOf(existing, now), now);
  const contract: StoredContract =
    existing === undefined
      ? makeContract(random.pick([...model.players.keys()]), { ...terms, createdAt: now, updatedAt })
      : { ...existing, ...terms, updatedAt };
  const { id, ...columns } = contractStore.toRow(contract);
  return {
    shownBy: "/contracts",
    async write(org) {
      if (existing === undefined) await insertContracts(org, [contract]);
      else await org.updateTable("contracts").set(columns).where("id", "=", id).execute();
    },
    commit: () => void model.contracts.set(id, contract),
  };
}

export function writeEntry(random: Random, model: Model, now: number): PastWrite {
  const existing = model.entries.size < ENTRIES_MAX ? undefined : random.pick([...model.entries.values()]);
  const startsAt = someEnd(random, now) - random.pick([0, HOUR_MS, 6 * HOUR_MS]);
  const fields: Partial<ScheduleEntry> = {
    kind: random.pick(SCHEDULE_KINDS),
    title: random.pick(TITLES),
    teamId: random.pick([null, ...model.teams.keys()]),
    game: random.pick(GAMES),
    status: random.chance(0.7) ? "scheduled" : random.pick(SCHEDULE_STATUSES),
    startsAt,
    endsAt: random.chance(0.5) ? null : startsAt + random.between(1, 8 * HOUR_MS),
    previousStartsAt: existing?.startsAt ?? null,
    bestOf: random.pick([null, 3, 5]),
    updatedAt: existing === undefined ? now : later(existing.updatedAt, now),
  };
  const entry: ScheduleEntry =
    existing === undefined ? makeEntry({ ...fields, createdAt: now }) : { ...existing, ...fields };
  const { id, ...columns } = scheduleStore.toRow(entry);
  return {
    shownBy: "/schedule",
    async write(org) {
      if (existing === undefined) await insertEntries(org, [entry]);
      else await org.updateTable("schedule_entries").set(columns).where("id", "=", id).execute();
    },
    commit: () => void model.entries.set(id, entry),
  };
}

export function writeTeam(random: Random, model: Model, now: number): PastWrite {
  if (model.teams.size < TEAMS_MAX) {
    const game = GAMES[model.teams.size % GAMES.length] ?? "Other";
    const team = makeTeam({ name: random.pick(TEAM_NAMES), game, createdAt: now, updatedAt: now });
    return {
      shownBy: "/teams",
      write: (org) => insertTeams(org, [team]),
      commit: () => void model.teams.set(team.id, team),
    };
  }
  const before = random.pick([...model.teams.values()]);
  const { id } = before;
  const name = random.pick(TEAM_NAMES);
  const team = { ...before, name, status: random.pick(TEAM_STATUSES), updatedAt: later(before.updatedAt, now) };
  return {
    shownBy: "/teams",
    async write(org) {
      const search_text = searchTextOf(name, team.tag);
      const columns = { name, status: team.status, search_text, updated_at: team.updatedAt };
      await org.updateTable("teams").set(columns).where("id", "=", id).execute();
      await touch(
        org,
        model.assignments.filter(({ teamId }) => teamId === id),
        now,
      );
    },
    commit() {
      model.teams.set(id, team);
      model.touchAssignments(({ teamId }) => teamId === id, now);
    },
  };
}

function writeAssignment(random: Random, model: Model, now: number): PastWrite {
  const open = model.assignments.filter(({ leftAt }) => leftAt === null);
  const one = random.find(open);
  if (one === undefined) return writeTeam(random, model, now);
  const [isStarter, isCaptain, updatedAt] = [random.chance(0.5), random.chance(0.5), later(one.updatedAt, now)];
  return {
    shownBy: "/roster",
    async write(org) {
      const columns = { is_starter: Number(isStarter), is_captain: Number(isCaptain), updated_at: updatedAt };
      await org
        .updateTable("assignments")
        .set(columns)
        .where("id", "=", one.id ?? "")
        .execute();
    },
    commit: () => void Object.assign(one, { isStarter, isCaptain, updatedAt }),
  };
}

function writePlayer(random: Random, model: Model, now: number): PastWrite {
  const before = random.pick([...model.players.values()]);
  const { id } = before;
  const player = {
    ...before,
    status: random.pick(PLAYER_STATUSES),
    contractStatus: random.pick(CONTRACT_STATUSES),
    updatedAt: later(before.updatedAt, now),
  };
  return {
    shownBy: "/players",
    async write(org) {
      const columns = {
        status: player.status,
        contract_status: player.contractStatus,
        updated_at: player.updatedAt,
      };
      await org.updateTable("players").set(columns).where("id", "=", id).execute();
      await touch(
        org,
        model.assignments.filter(({ playerId }) => playerId === id),
        now,
      );
    },
    commit() {
      model.players.set(id, player);
      model.touchAssignments(({ playerId }) => playerId === id, now);
    },
  };
}

function writeProspect(random: Random, model: Model, now: number): PastWrite {
  const before = random.pick([...model.prospects.values()]);
  const playerId = random.pick([null, ...model.players.keys()]);
  const prospect = { ...before, playerId, updatedAt: later(before.updatedAt, now) };
  return {
    shownBy: "/prospects",
    async write(org) {
      const columns = { player_id: playerId, updated_at: prospect.updatedAt };
      await org.updateTable("prospects").set(columns).where("id", "=", before.id).execute();
    },
    commit: () => void model.prospects.set(before.id, prospect),
  };
}

/** Of what an assignment shows, something else has changed. */
async function touch(org: OrgStore, assignments: Model["assignments"], now: number): Promise<void> {
  for (const { id, updatedAt } of assignments) {
    const updated_at = later(updatedAt, now);
    await org
      .updateTable("assignments")
      .set({ updated_at })
      .where("id", "=", id ?? "")
      .execute();
  }
}
