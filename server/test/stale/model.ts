/**
 * One organization as the contract describes it, in plain objects: what its records are, and what writing to them does. It is the
 * measure that the server's answers are held against, so it shares nothing with the server but the words and types of the API,
 * and it is written to be read, not to be fast.
 */
import { isDeepStrictEqual } from "node:util";
import type { contractResource } from "@lineup/api/contracts";
import { type Player, playerResource } from "@lineup/api/players";
import { type Prospect, prospectResource } from "@lineup/api/prospects";
import { fillIn, type StoredOf } from "@lineup/api/resource";
import { type Game, kindOfRole, ROLES_BY_GAME } from "@lineup/api/roles";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";

export type StoredContract = StoredOf<typeof contractResource>;

export interface Assignment {
  /** Made by the server, and not told with the player that it is of; undefined until it is learned. */
  id: string | undefined;
  readonly playerId: string;
  readonly teamId: string;
  readonly role: string;
  isStarter: boolean;
  isCaptain: boolean;
  joinedAt: number;
  leftAt: number | null;
  readonly createdAt: number;
  updatedAt: number;
}

export type Fields<T> = Partial<Record<keyof T, unknown>>;

/** What becomes of a write: it is refused, or this is done. The id is the server's choice. */
export type Write<T> = { readonly refusal: string } | { readonly commit: (id: string) => T };

const LONG_BEFORE = Number.NEGATIVE_INFINITY;

export class Model {
  readonly players = new Map<string, Player>();
  readonly teams = new Map<string, Team>();
  readonly entries = new Map<string, ScheduleEntry>();
  readonly prospects = new Map<string, Prospect>();
  readonly contracts = new Map<string, StoredContract>();
  /** In order of creation. */
  readonly assignments: Assignment[] = [];

  createPlayer(body: Fields<Player>, now: number): Write<Player> {
    const player: Player = fillIn(playerResource, { ...body, id: "" }, now);
    const refusal = this.#refusePlayer(player, undefined, true);
    if (refusal !== undefined) return { refusal };
    return {
      commit: (id) => {
        const made = { ...player, id };
        this.players.set(id, made);
        this.#followTeam(undefined, made, now);
        return made;
      },
    };
  }

  updatePlayer(id: string, body: Fields<Player>, now: number): Write<Player> {
    const before = this.players.get(id);
    if (before === undefined) return { refusal: "NOT_FOUND" };
    const planned: Player = { ...before, ...(body as Partial<Player>), externalIds: mergeIds(before, body) };
    const refusal = this.#refusePlayer(planned, id, "role" in body || "teamId" in body);
    if (refusal !== undefined) return { refusal };
    return {
      commit: () => {
        if (isDeepStrictEqual(before, planned)) return before;
        const after = { ...planned, updatedAt: later(before.updatedAt, now) };
        this.players.set(id, after);
        const versions = new Map(this.assignments.map((one) => [one, one.updatedAt]));
        if (before.joinDate !== after.joinDate) this.#moveFirstAssignment(before, after, now);
        if (before.ign !== after.ign || before.realName !== after.realName || before.status !== after.status) {
          this.touchAssignments((one) => one.playerId === id, now);
        }
        this.#followTeam(before, after, now);
        // However much of one changes by a write, it changes once.
        for (const [one, version] of versions) if (one.updatedAt !== version) one.updatedAt = later(version, now);
        if (before.ign !== after.ign) this.#touchContracts(id, now);
        return after;
      },
    };
  }

  createProspect(body: Fields<Prospect>, now: number): Write<Prospect> {
    const prospect: Prospect = fillIn(prospectResource, { ...body, id: "" }, now);
    const refusal = this.#refuseProspect(prospect, undefined);
    if (refusal !== undefined) return { refusal };
    return {
      commit: (id) => {
        const made = { ...prospect, id };
        this.prospects.set(id, made);
        return made;
      },
    };
  }

  updateProspect(id: string, body: Fields<Prospect>, now: number): Write<Prospect> {
    const before = this.prospects.get(id);
    if (before === undefined) return { refusal: "NOT_FOUND" };
    const planned: Prospect = { ...before, ...(body as Partial<Prospect>), externalIds: mergeIds(before, body) };
    const refusal = this.#refuseProspect(planned, id);
    if (refusal !== undefined) return { refusal };
    return {
      commit: () => {
        if (isDeepStrictEqual(before, planned)) return before;
        const updatedAt = later(before.updatedAt, now);
        const stageChangedAt = before.stage === planned.stage ? before.stageChangedAt : updatedAt;
        const after = { ...planned, stageChangedAt, updatedAt };
        this.prospects.set(id, after);
        return after;
      },
    };
  }

  /** A roster entry shows names of others, so it has changed when they have. */
  touchAssignments(isMeant: (one: Assignment) => boolean, now: number): void {
    for (const one of this.assignments) if (isMeant(one)) one.updatedAt = later(one.updatedAt, now);
  }

  #touchContracts(playerId: string, now: number): void {
    for (const contract of this.contracts.values()) {
      if (contract.playerId !== playerId) continue;
      this.contracts.set(contract.id, { ...contract, updatedAt: later(shownChangeOf(contract, now), now) });
    }
  }

  #moveFirstAssignment(before: Player, after: Player, now: number): void {
    const [first] = this.assignments
      .filter(({ playerId }) => playerId === after.id)
      .sort((a, b) => a.joinedAt - b.joinedAt);
    if (first === undefined || first.joinedAt !== before.joinDate) return;
    if (first.leftAt !== null && first.leftAt < after.joinDate) return;
    first.joinedAt = after.joinDate;
    first.updatedAt = later(first.updatedAt, now);
  }

  #followTeam(before: Player | undefined, after: Player, now: number): void {
    const teamChanged = (before?.teamId ?? null) !== after.teamId;
    const roleChanged = before !== undefined && before.role !== after.role && after.teamId !== null;
    if (!teamChanged && !roleChanged) return;
    const open = this.assignments.find((one) => one.playerId === after.id && one.leftAt === null);
    const isFirst = !this.assignments.some(({ playerId }) => playerId === after.id);
    if (open !== undefined) {
      open.leftAt = Math.max(now, open.joinedAt);
      open.updatedAt = later(open.updatedAt, now);
    }
    if (after.teamId !== null) {
      this.assignments.push({
        id: undefined,
        playerId: after.id,
        teamId: after.teamId,
        role: after.role,
        isStarter: kindOfRole(after.role) === "player" && after.role !== "Substitute",
        isCaptain: after.role === "Captain" || (open?.teamId === after.teamId && open.isCaptain),
        joinedAt: isFirst ? after.joinDate : now,
        leftAt: null,
        createdAt: now,
        updatedAt: now,
      });
    }
    if (!teamChanged) return;
    if (open !== undefined) this.#count(open.teamId, -1, now);
    if (after.teamId !== null) this.#count(after.teamId, 1, now);
  }

  #count(teamId: string, more: number, now: number): void {
    const team = this.teams.get(teamId);
    if (team === undefined) throw new Error(`The model has no team ${teamId}.`);
    const playerCount = team.playerCount + more;
    this.teams.set(teamId, { ...team, playerCount, updatedAt: later(team.updatedAt, now) });
  }

  #refusePlayer(player: Player, id: string | undefined, judgesRole: boolean): string | undefined {
    const game: Game | undefined = player.teamId === null ? "Other" : this.teams.get(player.teamId)?.game;
    if (game === undefined || isTaken(this.players, player.externalIds, id)) return "VALIDATION_ERROR";
    return judgesRole && !ROLES_BY_GAME[game].includes(player.role) ? "INVALID_ROLE" : undefined;
  }

  #refuseProspect({ game, role, targetTeamId, externalIds }: Prospect, id: string | undefined): string | undefined {
    const isRight =
      (role === null || ROLES_BY_GAME[game].includes(role)) &&
      (targetTeamId === null || this.teams.has(targetTeamId)) &&
      !isTaken(this.prospects, externalIds, id);
    return isRight ? undefined : "VALIDATION_ERROR";
  }
}

/** The moment of a change: now, but later than the one before, for it changes on every change and never goes back. */
export function later(before: number, now: number): number {
  return Math.max(now, before + 1);
}

/** Whether it was active, and its end has passed. */
export function hasEnded({ status, endDate }: Pick<StoredContract, "status" | "endDate">, now: number): boolean {
  return status === "active" && endDate !== null && endDate <= now;
}

export function shownChangeOf(contract: StoredContract, now: number): number {
  return Math.max(contract.updatedAt, hasEnded(contract, now) ? (contract.endDate ?? LONG_BEFORE) : LONG_BEFORE);
}

type WithIds = { readonly externalIds: Readonly<Record<string, string>> };

function mergeIds(before: WithIds, body: Fields<WithIds>): Record<string, string> {
  const merged = { ...before.externalIds, ...((body.externalIds ?? {}) as Record<string, string | null>) };
  return Object.fromEntries(Object.entries(merged).filter((pair): pair is [string, string] => pair[1] !== null));
}

/** A pair of system and id belongs to one record of a kind. */
function isTaken(
  all: ReadonlyMap<string, WithIds>,
  wanted: Readonly<Record<string, string>>,
  id: string | undefined,
): boolean {
  for (const [otherId, { externalIds }] of all) {
    if (otherId === id) continue;
    for (const [system, own] of Object.entries(wanted)) if (externalIds[system] === own) return true;
  }
  return false;
}
