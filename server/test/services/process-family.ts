/** Ends a process together with its children so that none of them does anything more. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { ServiceProcess } from "./service-process.ts";

const run = promisify(execFile);
const GONE_MS = 10_000;

/** The parent is stopped first: it neither sees its children end nor makes further ones. */
export async function killFamily(parent: ServiceProcess): Promise<void> {
  if (parent.hasExited()) return;
  parent.signal("SIGSTOP");
  const children = await listChildren(parent.pid);
  for (const pid of children) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  await parent.end("SIGKILL");
  const deadline = performance.now() + GONE_MS;
  for (const pid of children) {
    while (await isRunning(pid)) {
      if (performance.now() > deadline)
        throw new Error(`Process ${pid} is still there ${GONE_MS / 1000} s after SIGKILL.`);
      await sleep(5);
    }
  }
}

async function listChildren(pid: number): Promise<number[]> {
  try {
    return toNumbers(await readFile(`/proc/${pid}/task/${pid}/children`, "utf8"));
  } catch {
    // Not every system has this file, and not every one that has it has ps.
    const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
    return stdout
      .split("\n")
      .map(toNumbers)
      .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));
  }
}

function toNumbers(text: string): number[] {
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** One that has ended and that nobody has asked for yet still has its number, but nothing else. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /.test(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // It ended meanwhile, or the system has no such file, and signals have to tell.
    return process.platform !== "linux";
  }
}
