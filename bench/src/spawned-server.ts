/** Lineup started as its operator starts it: the command, with a data folder and a port, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readFamilyCpuUs, readFamilyPeakBytes, resetFamilyPeaks } from "./process-usage.ts";
import { captureAnswer, type Question } from "./question.ts";

const COMMAND = fileURLToPath(new URL("../../server/bin/lineup.mjs", import.meta.url));
const ASK_EVERY_MS = 4;
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 20_000;

export interface SpawnOptions {
  readonly dataDir: string;
  /** Undefined where the system decides. */
  readonly core: number | string | undefined;
  /** Where its standard error goes. */
  readonly logFile: string;
  /** Beside `serve`. */
  readonly args?: readonly string[];
  /** What it is asked until it answers. */
  readonly first: { readonly question: Question; readonly key: string };
}

export class SpawnedServer {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #logFile: string;
  /** From its start to its first answer. */
  startMs = 0;
  /** The processor time of that, which tells more on a busy machine. */
  startCpuMs = 0;

  static async start(options: SpawnOptions): Promise<SpawnedServer> {
    const server = new SpawnedServer(await findFreePort(), options);
    await server.#awaitAnswer(options).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
    return server;
  }

  private constructor(port: number, { dataDir, core, logFile, args = [] }: SpawnOptions) {
    this.port = port;
    this.#logFile = logFile;
    const command = [process.execPath, COMMAND, "serve", ...args];
    const pinned = core === undefined ? command : ["taskset", "-c", String(core), ...command];
    const log = openSync(logFile, "a");
    this.#process = spawn(pinned[0] ?? "", pinned.slice(1), {
      stdio: ["ignore", "ignore", log],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LINEUP_DATA_DIR: dataDir, LINEUP_PORT: String(port) },
    });
    closeSync(log);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Its first answer is that of one worker; connections that come before the others listen are all that one's. */
  async untilAllServe(): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${this.port}/readyz`);
      const said = await response.text();
      if (response.ok && JSON.parse(said).status === "ready") return;
      if (performance.now() - startedAt > START_DEADLINE_MS) throw new Error(`Not all of the server serves: ${said}`);
      await sleep(ASK_EVERY_MS);
    }
  }

  /** Of all its processes. */
  readCpuUs(): number {
    return readFamilyCpuUs(this.pid);
  }

  readPeakBytes(): number {
    return readFamilyPeakBytes(this.pid);
  }

  resetPeak(): void {
    resetFamilyPeaks(this.pid);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    const deadline = setTimeout(() => this.#process.kill("SIGKILL"), STOP_DEADLINE_MS);
    this.#process.kill("SIGTERM");
    await ended;
    clearTimeout(deadline);
  }

  async #awaitAnswer({ first }: SpawnOptions): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      try {
        await captureAnswer(first.question, { key: first.key }, this.port);
        this.startMs = performance.now() - startedAt;
        this.startCpuMs = this.readCpuUs() / 1_000;
        return;
      } catch (error) {
        const hasEnded = this.#process.exitCode !== null || this.#process.signalCode !== null;
        if (hasEnded || performance.now() - startedAt > START_DEADLINE_MS) {
          const said = readFileSync(this.#logFile, "utf8").slice(-1_000);
          const how = hasEnded ? ` but ended (${this.#process.exitCode ?? this.#process.signalCode})` : "";
          throw new Error(`The server did not start${how}. It said: ${said}`, { cause: error });
        }
        await sleep(ASK_EVERY_MS);
      }
    }
  }
}

/** Free a moment ago; a server that was to choose by itself would have to be asked where it is. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
