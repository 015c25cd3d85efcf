/** A process under measurement, as the bench sees it: started on its core, asked over IPC, stopped. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { openSync } from "node:fs";
import type { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { SERVE_FLAGS, serveEnvironment } from "../../server/bin/serve-flags.mjs";
import type { Question, Reply, Usage } from "./child.ts";

/** Which core serves and which one loads; undefined where the system decides. */
export interface Cores {
  readonly server: number;
  readonly load: number;
}

const STOP_DEADLINE_MS = 10_000;
const CAN_HALT = process.platform !== "win32";

/** Gives this process the load's core. Where there is no `taskset` or one core only, nothing is pinned. */
export function pinLoad(): Cores | undefined {
  if (process.platform !== "linux" || availableParallelism() < 2) return undefined;
  try {
    const allowed = execFileSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8", stdio: "pipe" });
    const [server, load] = listCores(allowed.slice(allowed.lastIndexOf(":") + 1));
    if (server === undefined || load === undefined) return undefined;
    execFileSync("taskset", ["-a", "-cp", String(load), String(process.pid)], { stdio: "pipe" });
    return { server, load };
  } catch {
    return undefined;
  }
}

/** Reads what `taskset` writes, such as "0,2-5". */
export function listCores(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [first = Number.NaN, last = first] = part.trim().split("-").map(Number);
    return Number.isInteger(first) && last >= first
      ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
      : [];
  });
}

export interface ContenderOptions {
  readonly name: string;
  /** The file it runs, beside this one. */
  readonly script: string;
  readonly core: number | undefined;
  /** Where its standard error goes. */
  readonly logFile: string;
  /** Whether it is begun as the command `lineup serve` begins a server. */
  readonly isServed?: boolean;
}

export class Contender {
  readonly name: string;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #asked = 0;
  #keeper: ChildProcess | undefined;

  constructor(options: ContenderOptions) {
    const script = fileURLToPath(new URL(options.script, import.meta.url));
    const command = [process.execPath, ...(options.isServed ? SERVE_FLAGS : []), script];
    const pinned = options.core === undefined ? command : ["taskset", "-c", String(options.core), ...command];
    this.name = options.name;
    this.#process = spawn(pinned[0] ?? "", pinned.slice(1), {
      stdio: ["ignore", "ignore", openSync(options.logFile, "a"), "ipc"],
      env: options.isServed ? serveEnvironment(process.env) : process.env,
    });
    this.#process.on("message", (reply: Reply) => this.#hear(reply));
    this.#process.on("error", (error) => this.#giveUp(error));
    this.#process.on("exit", (code, signal) => {
      this.#giveUp(new Error(`${options.name} ended early (${signal ?? code}); its log is ${options.logFile}.`));
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** What the child answers under this name; the caller knows its type. */
  ask<T>(name: string, payload?: unknown): Promise<T> {
    const question: Question = { number: this.#asked++, name, payload };
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(question.number, { resolve: (result) => resolve(result as T), reject });
      if (!this.#process.connected) this.#giveUp(new Error(`${this.name} is not running.`));
      else this.#process.send(question);
    });
  }

  usage(): Promise<Usage> {
    return this.ask<Usage>("usage");
  }

  /** It does nothing at all until it may go on, not even what it does every few seconds. Returns what it has used until then. */
  async halt(): Promise<Usage> {
    const used = await this.usage();
    if (CAN_HALT) {
      this.#keeper ??= keepFromStaying(this.pid);
      this.#process.kill("SIGSTOP");
    }
    return used;
  }

  goOn(): void {
    if (CAN_HALT) this.#process.kill("SIGCONT");
  }

  /** Resolves once the process has ended. A child whose parent lets go ends by itself. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    const deadline = setTimeout(() => this.#process.kill("SIGKILL"), STOP_DEADLINE_MS);
    this.goOn();
    if (this.#process.connected) this.#process.disconnect();
    await ended;
    clearTimeout(deadline);
    this.#keeper?.stdin?.destroy();
  }

  #hear(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (reply.error === undefined) waiting?.resolve(reply.result);
    else waiting?.reject(new Error(`${this.name}: ${reply.error}`));
  }

  #giveUp(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/** A process that is halted cannot see that its parent is gone. A shell that sees it, however that happens, lets it go on, and so end. */
function keepFromStaying(pid: number): ChildProcess {
  const script = 'trap "" INT TERM HUP; read -r _; kill -CONT "$0"';
  const keeper = spawn("sh", ["-c", script, String(pid)], { stdio: ["pipe", "ignore", "ignore"] });
  keeper.on("error", () => {});
  keeper.unref();
  (keeper.stdin as Socket).unref();
  return keeper;
}
