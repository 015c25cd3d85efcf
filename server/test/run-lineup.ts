/** Runs real commands, for tests: in processes that have loaded them already, or each in one of its own. */
import { type ChildProcess, type ChildProcessByStdio, fork, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { CommandReply, CommandRequest } from "./command-host.ts";
import { storeEnvOf } from "./test-store.ts";

const BIN = fileURLToPath(new URL("../bin/lineup.mjs", import.meta.url));
const HOST = fileURLToPath(new URL("./command-host.ts", import.meta.url));

/** How a command ended, and what it printed. */
export type Finished = CommandReply;

export type LineupProcess = ChildProcessByStdio<null, Readable, Readable>;

export interface LineupSettings extends NodeJS.ProcessEnv {
  LINEUP_DATA_DIR: string;
}

/**
 * The command knows the settings given, where the data folder's store is, and nothing of the environment that the tests
 * themselves were started in.
 */
async function environmentOf(settings: LineupSettings): Promise<Record<string, string>> {
  const env = { ...(await storeEnvOf(settings.LINEUP_DATA_DIR)), ...settings };
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** In a process of its own, which can be watched and told to stop. */
export async function startLineup(words: readonly string[], settings: LineupSettings): Promise<LineupProcess> {
  return spawn(process.execPath, [BIN, ...words], {
    env: await environmentOf(settings),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Hosts that run nothing at the moment; each runs one command at a time. */
const idle: ChildProcess[] = [];

export async function runLineup(words: readonly string[], settings: LineupSettings): Promise<CommandReply> {
  const request: CommandRequest = { words, env: await environmentOf(settings) };
  const host = idle.pop() ?? startHost();
  host.ref();
  host.channel?.ref();
  const { promise: replied, resolve, reject } = Promise.withResolvers<CommandReply>();
  const onExit = (code: number | null) =>
    reject(new Error(`The process that runs commands ended with ${code} while it ran: ${words.join(" ")}`));
  host.once("message", (reply) => resolve(reply as CommandReply));
  host.once("exit", onExit);
  host.send(request);
  const reply = await replied;
  host.off("exit", onExit);
  host.unref();
  host.channel?.unref();
  idle.push(host);
  return reply;
}

function startHost(): ChildProcess {
  const host = fork(HOST, { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [] });
  process.once("exit", () => host.kill());
  return host;
}
