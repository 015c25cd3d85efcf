/**
 * Where things stand on the time line, in hundredths of its width. Every contract has a bar, also one that lies outside of what is shown: it is a
 * stub at that edge. Bars of one player that would touch each other stand on tracks of their own.
 */
import type { Contract } from "@lineup/api/contracts";
import { noticeDeadlineOf, statusAt } from "./contract-decisions.ts";

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

export interface Bar<C = Contract> {
  readonly contract: C;
  readonly left: number;
  readonly width: number;
  readonly track: number;
  /** The part in which it is too late for notice; null where none of it is seen. */
  readonly notice: { readonly left: number; readonly width: number } | null;
  /** Whether its beginning and its end lie inside of what is shown. */
  readonly startsInside: boolean;
  readonly endsInside: boolean;
  /** At which edge it is a stub, because all of it lies beyond; null where it is in sight. */
  readonly beyond: "before" | "after" | null;
}

type Drawn = Pick<Contract, "startDate" | "endDate" | "noticePeriodDays" | "status" | "terminatedAt">;

/** When it was over, or will be; null where nobody knows. */
export function lastMomentOf({ terminatedAt, endDate }: Pick<Contract, "terminatedAt" | "endDate">): number | null {
  if (terminatedAt === null) return endDate;
  return endDate === null ? terminatedAt : Math.min(terminatedAt, endDate);
}

export function locateMoment(at: number, { from, to }: TimeWindow): number {
  return ((at - from) / (to - from)) * 100;
}

/** `least` is the width below which no bar can be pressed. */
export function layOutBars<C extends Drawn>(
  contracts: readonly C[],
  window: TimeWindow,
  now: number,
  least: number,
): Bar<C>[] {
  const ends: number[] = [];
  return [...contracts]
    .sort((one, other) => one.startDate - other.startDate)
    .map((contract) => {
      const span = locateSpan(contract, window, least);
      const free = ends.findIndex((end) => end <= span.left);
      const track = free === -1 ? ends.length : free;
      ends[track] = span.left + span.width;
      return { contract, ...span, track, notice: locateNotice(contract, window, now) };
    });
}

function locateSpan(contract: Drawn, window: TimeWindow, least: number) {
  const last = lastMomentOf(contract);
  const start = locateMoment(contract.startDate, window);
  const end = last === null ? 100 : locateMoment(Math.max(last, contract.startDate), window);
  const shownStart = Math.min(Math.max(start, 0), 100);
  const shownEnd = Math.min(Math.max(end, 0), 100);
  const width = Math.max(shownEnd - shownStart, least);
  return {
    left: Math.min(shownStart, 100 - width),
    width,
    startsInside: start >= 0 && start <= 100,
    endsInside: last !== null && end >= 0 && end <= 100,
    beyond: end < 0 ? ("before" as const) : start > 100 ? ("after" as const) : null,
  };
}

function locateNotice(contract: Drawn, window: TimeWindow, now: number): Bar["notice"] {
  const deadline = noticeDeadlineOf(contract);
  const { endDate, startDate } = contract;
  if (deadline === null || endDate === null || statusAt(contract, now) !== "active") return null;
  const left = Math.max(locateMoment(Math.max(deadline, startDate), window), 0);
  const end = Math.min(locateMoment(endDate, window), 100);
  return end > left ? { left, width: end - left } : null;
}

export interface Tick {
  readonly at: number;
  readonly left: number;
  /** Whether a year begins here. */
  readonly isYear: boolean;
}

const TICKS_MOST = 16;
const STEPS = [1, 2, 3, 6, 12, 24, 60, 120];

/** The beginnings of months, quarters or years in UTC, as contracts have their days: no more than can be read. */
export function listTicks(window: TimeWindow, most = TICKS_MOST): Tick[] {
  const first = new Date(window.from);
  const last = new Date(window.to);
  const months = (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth();
  const step = STEPS.find((size) => months / size <= most) ?? 120;
  const start = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth() + 1) / step) * step;
  const ticks: Tick[] = [];
  for (let month = start; ; month += step) {
    const at = Date.UTC(0, month - 1900 * 12, 1);
    if (at > window.to) return ticks;
    ticks.push({ at, left: locateMoment(at, window), isYear: month % 12 === 0 });
  }
}
