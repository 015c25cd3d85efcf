/**
 * The thread that works on the file of the request log, as the rest of the server sees it: statements go in, rows come out. It is started when
 * it is first needed, and again if it should ever end. Whoever waits for it waits for a bounded time.
 */
import type { Worker } from "node:worker_threads";
import { startThread } from "../start-thread.ts";
import type { Answer, ConnectionName } from "./request-file.ts";

const PATIENCE_MS = 15_000;
const WAITING_MAX = 1_000;

/** What the thread is started with. */
export interface FileGiven {
  readonly file: string;
}

export interface FileAsk {
  readonly number: number;
  readonly ask: Statement | "close";
}

/** Runs statements on the file, in order. */
export interface StatementRunner {
  run(connection: ConnectionName, sql: string, parameters: readonly unknown[]): Promise<Answer>;
  close(): Promise<void>;
}

export interface Statement {
  readonly connection: ConnectionName;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type FileReply =
  | { readonly notice: string }
  | ({ readonly number: number } & (Answer | { readonly error: { readonly message: string; readonly code: string } }));

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class RequestFileThread implements StatementRunner {
  readonly #file: string;
  readonly #onNotice: (notice: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(file: string, onNotice: (notice: string) => void) {
    this.#file = file;
    this.#onNotice = onNotice;
  }

  run(connection: ConnectionName, sql: string, parameters: readonly unknown[]): Promise<Answer> {
    return this.#ask({ connection, sql, parameters });
  }

  /** What was asked before is done before. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    try {
      await this.#ask("close");
    } finally {
      this.#worker = undefined;
      await worker.terminate();
    }
  }

  async #ask(ask: FileAsk["ask"]): Promise<Answer> {
    if (this.#waiting.size >= WAITING_MAX) throw new Error("Too many statements are waiting for the request log.");
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const number = this.#asked++;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.set(number, { resolve, reject });
    const late = setTimeout(() => reject(new Error("The request log did not answer in time.")), PATIENCE_MS);
    try {
      worker.postMessage({ number, ask } satisfies FileAsk);
      return await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(number);
    }
  }

  #start(): Worker {
    const module = new URL("./request-file-worker.ts", import.meta.url);
    const worker = startThread<FileGiven>(module, "request log", { file: this.#file });
    // Whoever waits for an answer has a clock running, which keeps the process; an idle thread need not.
    worker.unref();
    worker.on("message", (reply: FileReply) => this.#hear(reply));
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, new Error("The thread of the request log has ended.")));
    return worker;
  }

  #hear(reply: FileReply): void {
    if ("notice" in reply) {
      this.#onNotice(reply.notice);
      return;
    }
    const waiting = this.#waiting.get(reply.number);
    if ("error" in reply) waiting?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
    else waiting?.resolve(reply);
  }

  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const { reject } of this.#waiting.values()) reject(reason);
  }
}
