/**
 * What the host of a virtual machine kept to itself: processor time that this machine wanted and did not get, which Linux calls steal. Nobody
 * who measures meanwhile learns much about a server.
 */
import { readFileSync } from "node:fs";
import type { Cores } from "./contender.ts";

/** What a tick of the clock in /proc is on every Linux that Node runs on. */
const TICK_MS = 10;
/** Of the figures of a core: user, nice, system, idle, iowait, irq, softirq, steal. */
const STEAL_PLACE = 7;

export interface Stolen {
  readonly stolenMs: number;
  /** What there was to be had: the time that passed, once for each core. */
  readonly coreMs: number;
}

export interface StolenClock {
  /** Since the machine's start, of the cores that are looked at. */
  readMs(): number;
  readonly cores: number;
  /** The time that passes for everybody. */
  now(): number;
}

/** Of the cores that servers and load are on; of all, where nothing is pinned. Undefined where the system does not tell. */
export function openStolenClock(cores: Cores | undefined, read = readStat): StolenClock | undefined {
  const names = cores === undefined ? undefined : [`cpu${cores.server}`, `cpu${cores.load}`];
  const found = stolenByCore(read(), names);
  if (found.length === 0) return undefined;
  return {
    cores: found.length,
    now: () => performance.now(),
    readMs: () => stolenByCore(read(), names).reduce((sum, stolen) => sum + stolen, 0),
  };
}

export async function watchStolen<T>(
  clock: StolenClock | undefined,
  work: () => Promise<T>,
): Promise<Stolen & { readonly value: T }> {
  if (clock === undefined) return { value: await work(), stolenMs: 0, coreMs: 0 };
  const startedAt = clock.now();
  const before = clock.readMs();
  const value = await work();
  // Where a host lets its count go back, nothing was stolen that anybody could tell.
  return { value, stolenMs: Math.max(0, clock.readMs() - before), coreMs: (clock.now() - startedAt) * clock.cores };
}

export function shareOf({ stolenMs, coreMs }: Stolen): number {
  return coreMs === 0 ? 0 : stolenMs / coreMs;
}

function stolenByCore(stat: string, names: readonly string[] | undefined): number[] {
  return stat.split("\n").flatMap((line) => {
    const [name = "", ...figures] = line.split(/\s+/);
    const isMeant = names === undefined ? /^cpu\d+$/.test(name) : names.includes(name);
    const ticks = figures[STEAL_PLACE];
    return isMeant && ticks !== undefined ? [Number(ticks) * TICK_MS] : [];
  });
}

function readStat(): string {
  try {
    return readFileSync("/proc/stat", "utf8");
  } catch {
    return "";
  }
}
