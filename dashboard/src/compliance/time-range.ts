/** A span of time as it stands in the address: one that moves with the clock, or two fixed moments. */
import { readChoice, readMoment } from "./search-values.ts";

export const MOVING_RANGES = ["15m", "1h", "24h", "7d"] as const;
export type MovingRange = (typeof MOVING_RANGES)[number];

export const MOVING_RANGE_WORDS: Readonly<Record<MovingRange, string>> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
};

const MOVING_RANGE_MS: Readonly<Record<MovingRange, number>> = {
  "15m": 900_000,
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 7 * 86_400_000,
};

export interface TimeRange {
  readonly range?: MovingRange;
  readonly from?: number;
  readonly to?: number;
}

export function readTimeRange(search: Readonly<Record<string, unknown>>): TimeRange {
  const range = readChoice(search.range, MOVING_RANGES);
  if (range !== undefined) return { range };
  const from = readMoment(search.from);
  const to = readMoment(search.to);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** The moments the server is asked for. */
export function resolveTimeRange(range: TimeRange, now: number): { readonly from?: number; readonly to?: number } {
  if (range.range !== undefined) return { from: now - MOVING_RANGE_MS[range.range] };
  return { ...(range.from !== undefined && { from: range.from }), ...(range.to !== undefined && { to: range.to }) };
}

export function isWithoutRange(range: TimeRange): boolean {
  return range.range === undefined && range.from === undefined && range.to === undefined;
}

/** `2026-03-29T14:05` in the viewer's zone, as the browser's own field writes it. */
export function sayLocalTime(at: number): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Undefined for what is no time, or lies before any request could. */
export function readLocalTime(text: string): number | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) || at < 0 ? undefined : at;
}
