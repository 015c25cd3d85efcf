/**
 * Lets the threads that serve go before those in which V8 compiles and looks for what is no longer used. There are four of them, however few
 * cores there are; on a machine where all are busy, each would take as much of a core as the one that everybody waits for. Where a core
 * is free they lose nothing by it. Linux alone knows the priority of a thread; elsewhere everything stays as it is.
 */
import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

const THREADS = "/proc/self/task";
const NAME = "node-V8Worker";
const THIS_THREAD = 0;
/**
 * Each gets about a twentieth of what one that serves does. With the least that there is, looking through everything takes more than a second on a busy
 * core, and all that is kept for a moment meanwhile stays until it is looked through once more: tens of megabytes.
 */
const V8_PRIORITY = 14;

export function lowerBackgroundThreads(): void {
  if (process.platform !== "linux") return;
  for (const thread of listThreads()) {
    if (nameOf(thread) === NAME) lower(Number(thread), V8_PRIORITY);
  }
}

/** For a thread that works for others who do not wait for it, to be called by itself. */
export function lowerThisThread(): void {
  if (process.platform === "linux") lower(THIS_THREAD, constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Never raises one that was lowered further by whoever started the process. */
function lower(thread: number, priority: number): void {
  try {
    if (getPriority(thread) < priority) setPriority(thread, priority);
  } catch {
    // It has just ended, or the system allows nobody to. Nothing depends on it but how long some wait.
  }
}

function listThreads(): string[] {
  try {
    return readdirSync(THREADS);
  } catch {
    return [];
  }
}

function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`${THREADS}/${thread}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}
