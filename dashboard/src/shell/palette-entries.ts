/** What the palette can lead to, and how letters find it. */
import type { TablerIcon } from "@tabler/icons-react";

export interface PaletteEntry {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  readonly note?: string;
  readonly icon: TablerIcon;
  /** More words it is found by. */
  readonly words?: string;
  readonly run: () => void;
}

const SHOWN_MAX = 40;

/** Every word must occur; names that begin with what was typed come first, otherwise the order stays. */
export function filterEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const typed = query.trim().toLowerCase();
  if (typed === "") return keepGroups(entries.slice(0, SHOWN_MAX));
  const found = entries.filter((entry) => mentionsAll(entry, typed));
  const begins = (entry: PaletteEntry) => entry.name.toLowerCase().startsWith(typed);
  const sorted = [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
  return keepGroups(sorted.slice(0, SHOWN_MAX));
}

/** Whether every word that was typed occurs in it. */
export function mentionsAll({ name, group, note = "", words = "" }: PaletteEntry, query: string): boolean {
  const text = `${name} ${group} ${note} ${words}`.toLowerCase();
  return query
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Groups stay together, in the order of their first entry. */
function keepGroups(entries: readonly PaletteEntry[]): PaletteEntry[] {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return groups.flatMap((group) => entries.filter((entry) => entry.group === group));
}
