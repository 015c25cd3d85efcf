/** Runs the real command in a process of its own, for tests. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../bin/lineup.mjs", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type LineupProcess = ChildProcessByStdio<null, Readable, Readable>;

/** The process knows the settings given and nothing of the environment that the tests themselves were started in. */
export function startLineup(words: readonly string[], settings: NodeJS.ProcessEnv): LineupProcess {
  return spawn(process.execPath, [BIN, ...words], { env: settings, stdio: ["ignore", "pipe", "pipe"] });
}

export async function runLineup(words: readonly string[], settings: NodeJS.ProcessEnv): Promise<Finished> {
  const child = startLineup(words, settings);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, out, err };
}
