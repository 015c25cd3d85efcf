/** What Prospects has in its address, and which prospects that shows, in which order. */
import type { Prospect } from "@lineup/api/prospects";
import { GAMES, type Game } from "@lineup/api/roles";
import { dropUnset, readChoice, readText } from "../compliance/search-values.ts";
import { PRIORITY_NAMES, STAGE_NAMES } from "../texts/prospect-texts.ts";

export type Stage = Prospect["stage"];
export type Priority = Prospect["priority"];

export const STAGES = Object.keys(STAGE_NAMES) as readonly Stage[];
/** The highest first. */
export const PRIORITIES = Object.keys(PRIORITY_NAMES) as readonly Priority[];
/** Stands for those whom nobody looks after. */
export const NOBODY = "none";

export interface ProspectsSearch {
  readonly q?: string;
  readonly game?: Game;
  readonly priority?: Priority;
  readonly assignee?: string;
  readonly sort?: string;
  readonly view?: "table";
  readonly open?: string;
}

export function readProspectsSearch(search: Readonly<Record<string, unknown>>): ProspectsSearch {
  return dropUnset({
    q: readText(search.q),
    game: readChoice(search.game, GAMES),
    priority: readChoice(search.priority, PRIORITIES),
    assignee: readText(search.assignee),
    sort: readText(search.sort),
    view: readChoice(search.view, ["table"] as const),
    open: readText(search.open),
  });
}

export type ProspectFilterValues = {
  readonly [K in "q" | "game" | "priority" | "assignee"]?: ProspectsSearch[K] | undefined;
};

export function filterProspects(
  prospects: readonly Prospect[],
  { q = "", game, priority, assignee }: ProspectFilterValues,
): Prospect[] {
  const words = q.toLowerCase().split(/\s+/);
  return prospects.filter(
    (prospect) =>
      (game === undefined || prospect.game === game) &&
      (priority === undefined || prospect.priority === priority) &&
      (assignee === undefined || (prospect.assignedTo || NOBODY) === assignee) &&
      words.every((word) => mentions(prospect, word)),
  );
}

function mentions({ ign, realName, currentTeam, role, source, region, tags, id }: Prospect, word: string): boolean {
  const texts = [ign, realName, currentTeam, role, source, region, id, ...tags];
  return texts.some((text) => text?.toLowerCase().includes(word) === true);
}

/** The most wanted first: by priority, then by rating, then those who have waited longest. */
export function compareProspects(one: Prospect, other: Prospect): number {
  return (
    PRIORITIES.indexOf(one.priority) - PRIORITIES.indexOf(other.priority) ||
    (other.rating ?? -1) - (one.rating ?? -1) ||
    one.stageChangedAt - other.stageChangedAt
  );
}

export function groupByStage(prospects: readonly Prospect[]): ReadonlyMap<Stage, readonly Prospect[]> {
  const groups = new Map<Stage, Prospect[]>(STAGES.map((stage) => [stage, []]));
  for (const prospect of prospects) groups.get(prospect.stage)?.push(prospect);
  for (const group of groups.values()) group.sort(compareProspects);
  return groups;
}

/** Everybody that somebody is assigned to, by name. */
export function listAssigned(prospects: readonly Prospect[]): string[] {
  const names = new Set(prospects.flatMap(({ assignedTo }) => (assignedTo ? [assignedTo] : [])));
  return [...names].sort((one, other) => one.localeCompare(other));
}

const DAY_MS = 86_400_000;

export function daysInStage({ stageChangedAt }: Pick<Prospect, "stageChangedAt">, now: number): number {
  return Math.max(0, Math.floor((now - stageChangedAt) / DAY_MS));
}
