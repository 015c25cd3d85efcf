/** The board of today, from the records as they are; and the board of an earlier day, as the server has it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { callAction } from "../client/call-action.ts";
import type { RequestFailure } from "../client/request-failure.ts";
import { useOrganization } from "../client/session.ts";
import { coverRecord, useLayers } from "../records/shown-layers.ts";
import { useRecords } from "../records/use-records.ts";
import { compareTeams } from "../teams/teams-search.ts";
import {
  type ColumnTeam,
  cardOfEntry,
  cardOfPlayer,
  compareNames,
  layersOfCard,
  makeColumns,
  type RosterCard,
  type TeamColumn,
} from "./line-up.ts";
import type { RosterSearch } from "./roster-search.ts";

export interface RosterBoard {
  readonly columns: readonly TeamColumn[];
  /** Those without a team, by name; empty in the past, of which nobody knows it. */
  readonly loose: readonly RosterCard[];
}

export type TeamFilters = Pick<RosterSearch, "game" | "team">;

export interface TodaysRoster {
  /** Undefined while nothing is here. */
  readonly board: RosterBoard | undefined;
  readonly isComplete: boolean;
  readonly failure: RequestFailure | null;
  readonly retry: () => void;
  /** When the first of those joined who are here; undefined where there is nobody. */
  readonly firstJoined: number | undefined;
}

export function useTodaysRoster(filters: TeamFilters): TodaysRoster {
  const teams = useRecords("team");
  const assignments = useRecords("assignment");
  const players = useRecords("player");
  const { all: entries } = assignments;
  const cards = useMemo(() => entries?.map(cardOfEntry), [entries]);
  const unassigned = useMemo(() => {
    // Before all are here nobody knows who has no assignment, and sorting them at every page that comes would take its time.
    if (cards === undefined || !assignments.isComplete || !players.isComplete) return NOBODY;
    const assigned = new Set(cards.map(({ playerId }) => playerId));
    const without = (players.all ?? []).filter(({ id, teamId }) => teamId === null && !assigned.has(id));
    return without.map(cardOfPlayer).toSorted(compareNames);
  }, [cards, assignments.isComplete, players.isComplete, players.all]);
  const layers = useLayers();
  const shownBefore = useRef<readonly TeamColumn[]>([]);
  const board = useMemo(() => {
    if (teams.all === undefined || cards === undefined) return undefined;
    const all = [...cards, ...unassigned];
    const shown =
      layers.size === 0 ? all : all.map((card) => coverRecord(card, layers.get(layersOfCard(card.playerId))));
    const loose = layers.size === 0 ? unassigned : shown.filter(({ teamId }) => teamId === null);
    return { columns: makeColumns(chooseTeams(teams.all, filters), shown, shownBefore.current), loose };
  }, [teams.all, cards, unassigned, layers, filters]);
  useEffect(() => {
    shownBefore.current = board?.columns ?? [];
  }, [board]);
  const firstJoined = useMemo(() => findFirst(players.all?.map(({ joinDate }) => joinDate) ?? []), [players.all]);
  const faulty = [teams, assignments, players].find(({ failure }) => failure !== null);
  return {
    board,
    isComplete: teams.isComplete && assignments.isComplete && players.isComplete,
    failure: faulty?.failure ?? null,
    retry: () => faulty?.retry(),
    firstJoined,
  };
}

const NOBODY: readonly RosterCard[] = [];

function findFirst(moments: readonly number[]): number | undefined {
  return moments.length === 0 ? undefined : moments.reduce((first, at) => Math.min(first, at));
}

/** Active teams by name, then inactive ones that somebody is still in. */
function chooseTeams<T extends ColumnTeam & { readonly playerCount: number }>(
  all: readonly T[],
  filters: TeamFilters,
): T[] {
  return all
    .filter(({ status, playerCount }) => status === "active" || playerCount > 0)
    .filter((team) => isWanted(team, filters))
    .toSorted((a, b) => Number(a.status === "inactive") - Number(b.status === "inactive") || compareTeams(a, b));
}

function isWanted({ id, game }: ColumnTeam, filters: TeamFilters): boolean {
  return (filters.game === undefined || filters.game === game) && (filters.team === undefined || filters.team === id);
}

export interface PastRoster {
  readonly board: RosterBoard | undefined;
  readonly failure: RequestFailure | null;
  readonly retry: () => void;
}

export function usePastRoster(asOf: number, filters: TeamFilters): PastRoster {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team");
  const { data, error, refetch } = useQuery({
    queryKey: ["listRoster", { path: { orgId }, query: { asOf } }],
    queryFn: ({ signal }) => listEntriesAsOf(orgId, asOf, signal),
    placeholderData: (before) => before,
  });
  const board = useMemo(() => {
    if (data === undefined) return undefined;
    const cards = data.map(cardOfEntry);
    const found = new Map<string, ColumnTeam>();
    for (const { teamId: id, teamName: name, game } of data) {
      found.set(id, { id, name, game, status: teams.byId.get(id)?.status ?? "active" });
    }
    const shown = [...found.values()].filter((team) => isWanted(team, filters)).toSorted(compareTeams);
    return { columns: makeColumns(shown, cards), loose: [] };
  }, [data, teams.byId, filters]);
  return { board, failure: data === undefined ? (error as RequestFailure | null) : null, retry: () => void refetch() };
}

async function listEntriesAsOf(orgId: string, asOf: number, signal: AbortSignal) {
  const listPage = (cursor?: string) => {
    const query = { asOf: String(asOf), limit: "500", ...(cursor !== undefined && { cursor }) };
    return callAction("listRoster", { path: { orgId }, query }, signal);
  };
  const first = await listPage();
  const entries = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const page = await listPage(cursor);
    entries.push(...page.items);
    cursor = page.nextCursor;
  }
  return entries;
}
