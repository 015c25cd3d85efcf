/** Where and on what a run was made, without which its numbers mean nothing. */
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { fileURLToPath } from "node:url";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  /** Undefined outside of a repository. */
  readonly commit: string | undefined;
  /** Whether tracked files differed from the commit. */
  readonly isModified: boolean;
  /** Of the last minute before the run: what else the machine was doing. */
  readonly loadAverage: number;
}

export function describeMachine(): Machine {
  const commit = git("rev-parse", "--short=10", "HEAD");
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    commit,
    isModified: commit !== undefined && git("status", "--porcelain", "--untracked-files=no") !== "",
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

function git(...args: string[]): string | undefined {
  try {
    const cwd = fileURLToPath(new URL(".", import.meta.url));
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
