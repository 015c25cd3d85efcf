/** What processes cost, read from where Linux tells it: of one process, or of one with all that descend from it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** What a tick of the clock in /proc is on every Linux that Node runs on. */
const TICK_US = 10_000;
/** Written to `clear_refs`, it makes the peak what is in memory now. */
const RESET_PEAK = "5";

interface Stat {
  readonly parent: number;
  readonly ownUs: number;
  /** With what children that have ended used, which their parent remembers. */
  readonly withEndedUs: number;
}

/** Microseconds of processor time since its start; 0 where there is no such process. */
export function readOwnCpuUs(pid: number): number {
  return readStat(pid)?.ownUs ?? 0;
}

/** Of the process and of all that descend from it. */
export function readFamilyCpuUs(pid: number): number {
  const own = readStat(pid)?.withEndedUs ?? 0;
  return listDescendants(pid).reduce((sum, one) => sum + (readStat(one)?.withEndedUs ?? 0), own);
}

/** The most memory that the process and its descendants had since their peaks were reset, each at its own time. */
export function readFamilyPeakBytes(pid: number): number {
  return [pid, ...listDescendants(pid)].reduce((sum, one) => sum + (readPeakBytes(one) ?? 0), 0);
}

export function resetFamilyPeaks(pid: number): void {
  for (const one of [pid, ...listDescendants(pid)]) resetPeak(one);
}

/** Undefined where the system does not tell. */
export function readPeakBytes(pid: number | "self"): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Where it may not be reset, the peak is that of the whole run, which is more and never less. */
export function resetPeak(pid: number | "self"): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
  } catch {
    // Another system, or another user's process.
  }
}

function listDescendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of listProcesses()) {
    const stat = readStat(name);
    if (stat !== undefined) parents.set(name, stat.parent);
  }
  const found: number[] = [];
  for (const ancestors = [pid]; ancestors.length > 0; ) {
    const ancestor = ancestors.pop();
    for (const [child, parent] of parents) {
      if (parent !== ancestor) continue;
      found.push(child);
      ancestors.push(child);
    }
  }
  return found;
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything; figures begin after it with the third field.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const at = (field: number) => fields[field - 3] ?? 0;
    const own = at(14) + at(15);
    return { parent: at(4), ownUs: own * TICK_US, withEndedUs: (own + at(16) + at(17)) * TICK_US };
  } catch {
    return undefined;
  }
}
