/** Runs the real command in a process of its own, for tests. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { storeEnvOf } from "../../test/test-store.ts";

const BIN = fileURLToPath(new URL("../../bin/lineup.mjs", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type LineupProcess = ChildProcessByStdio<null, Readable, Readable>;

export interface LineupSettings extends NodeJS.ProcessEnv {
  LINEUP_DATA_DIR: string;
}

/**
 * The process knows the settings given, where the data folder's store is, and nothing of the environment that the tests
 * themselves were started in.
 */
export async function startLineup(words: readonly string[], settings: LineupSettings): Promise<LineupProcess> {
  const env = { ...(await storeEnvOf(settings.LINEUP_DATA_DIR)), ...settings };
  return spawn(process.execPath, [BIN, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
}

export async function runLineup(words: readonly string[], settings: LineupSettings): Promise<Finished> {
  const child = await startLineup(words, settings);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, out, err };
}
