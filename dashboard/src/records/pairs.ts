/** Statistics and external ids as pairs of texts, and what saving them writes. */
import type { Player } from "@lineup/api/players";
import { PAIR_TEXTS as TEXTS } from "../texts/record-texts.ts";

export interface Pair {
  readonly name: string;
  readonly value: string;
}

type Patch = Readonly<Record<string, unknown>>;

/** R is what of a record it reads. */
export interface PairField<R> {
  readonly title: string;
  readonly empty: string;
  readonly nameLabel: string;
  readonly valueLabel: string;
  readonly read: (record: R) => readonly Pair[];
  readonly toPatch: (before: R, pairs: readonly Pair[]) => Patch;
  /** What takes that patch back. */
  readonly toUndo: (before: R, pairs: readonly Pair[]) => Patch;
}

const filled = (pairs: readonly Pair[]) => pairs.filter(({ name, value }) => name !== "" || value !== "");

/** What is wrong with the lines; those that are wholly empty do not count. */
export function findPairFault(pairs: readonly Pair[]): string | null {
  const lines = filled(pairs);
  if (lines.some(({ name, value }) => name === "" || value === "")) return TEXTS.pairMissing;
  const twice = lines.find(({ name }, index) => lines.findIndex((line) => line.name === name) !== index);
  return twice === undefined ? null : TEXTS.pairTwice(twice.name);
}

export const STATS: PairField<Pick<Player, "stats">> = {
  title: TEXTS.stats,
  empty: TEXTS.statsEmpty,
  nameLabel: TEXTS.statName,
  valueLabel: TEXTS.statValue,
  read: ({ stats }) => Object.entries(stats ?? {}).map(([name, value]) => ({ name, value: String(value) })),
  // Replaced whole.
  toPatch: ({ stats }, pairs) => {
    const entries = filled(pairs).map(({ name, value }) => [name, readStat(value, stats?.[name])] as const);
    return { stats: entries.length === 0 ? null : Object.fromEntries(entries) };
  },
  toUndo: ({ stats }) => ({ stats }),
};

/** A number where it is written as one, unless it was a text before and nobody touched it. */
export function readStat(text: string, before: number | string | undefined): number | string {
  if (before !== undefined && String(before) === text) return before;
  return /^-?\d+(\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text))) ? Number(text) : text;
}

export const EXTERNAL_IDS: PairField<{ readonly externalIds: Ids }> = {
  title: TEXTS.externalIds,
  empty: TEXTS.externalIdsEmpty,
  nameLabel: TEXTS.system,
  valueLabel: TEXTS.externalId,
  read: ({ externalIds }) => Object.entries(externalIds).map(([name, value]) => ({ name, value })),
  toPatch: ({ externalIds }, pairs) => ({ externalIds: changeIds(externalIds, idsOf(pairs)) }),
  toUndo: ({ externalIds }, pairs) => ({ externalIds: changeIds(idsOf(pairs), externalIds) }),
};

type Ids = Readonly<Record<string, string>>;

const idsOf = (pairs: readonly Pair[]): Ids =>
  Object.fromEntries(filled(pairs).map(({ name, value }) => [name, value]));

/** Merged by the server: what differs is sent, null for what goes. */
function changeIds(from: Ids, to: Ids): Record<string, string | null> {
  const gone = Object.keys(from).filter((system) => !(system in to));
  const set = Object.entries(to).filter(([system, id]) => from[system] !== id);
  return Object.fromEntries([...gone.map((system) => [system, null] as const), ...set]);
}
