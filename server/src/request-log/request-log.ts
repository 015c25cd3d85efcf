/** The log of requests as the rest of the server sees it: it records, is searched, and keeps itself tidy. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { REQUESTS_FILE } from "../store/data-files.ts";
import type { Store } from "../store/store.ts";
import { RepeatedWork } from "./repeated-work.ts";
import { type BlockStore, postgresBlocks } from "./request-block.ts";
import { removeRequestFile } from "./request-file.ts";
import type { StatementRunner } from "./request-file-thread.ts";
import { RequestPruner } from "./request-pruner.ts";
import { RequestRecorder } from "./request-recorder.ts";
import { sqliteBlocks } from "./sqlite-blocks.ts";

const FIRST_PRUNING_MS = 5_000;
const PRUNING_EVERY_MS = 60_000;
/** Servers that were started together do not prune together. */
const PRUNING_JITTER_MS = 10_000;
/** A log that cannot be written does not keep the server from stopping. */
const CLOSING_MAX_MS = 5_000;
/** Nor anybody from reading what is there. */
const CATCHING_UP_MAX_MS = 300;

export interface RequestLogOptions {
  readonly store: Store;
  readonly dataDir: string;
  /** 0: no requests are kept, and those that were are removed. */
  readonly keptDays: number;
  now(): number;
  /** Something cannot be written; it is tried again. */
  onFault(what: string, error: unknown): void;
  onRecovery(what: string): void;
  /** The file was damaged and has been set aside; or something is left out for good. */
  onNotice(notice: string): void;
  /** Who works on the file, where it is beside an embedded store; unless told, a thread of its own. */
  readonly file?: StatementRunner | undefined;
  /** For one of several workers. */
  readonly worker?: RequestLogWorker | undefined;
}

/** One of several that record: all through one thread that works on the file, and none of them prunes. */
export interface RequestLogWorker {
  readonly number: number;
  /** What the other workers have recorded is written too. */
  catchUpOthers(): Promise<void>;
}

export class RequestLog {
  readonly recorder: RequestRecorder;
  /** Undefined where no requests are kept. */
  readonly blocks: BlockStore | undefined;
  readonly keptDays: number;
  readonly #all: BlockStore | undefined;
  readonly #pruner: RequestPruner;
  readonly #pruning: RepeatedWork;
  readonly #worker: RequestLogWorker | undefined;
  readonly #onNotice: (notice: string) => void;

  constructor(options: RequestLogOptions) {
    const { store, keptDays, now, worker } = options;
    this.#worker = worker;
    this.#onNotice = options.onNotice;
    this.#all = openBlocks(options);
    this.blocks = keptDays > 0 ? this.#all : undefined;
    this.keptDays = keptDays;
    this.recorder = new RequestRecorder({ ...options, blocks: this.blocks });
    this.#pruner = new RequestPruner({ store, blocks: this.#all, keptDays });
    let pauseMs = FIRST_PRUNING_MS;
    this.#pruning = new RepeatedWork({
      work: async () => {
        pauseMs = PRUNING_EVERY_MS;
        if (worker === undefined) await this.#pruner.prune(now());
      },
      pauseMs: () => pauseMs + Math.random() * PRUNING_JITTER_MS,
      onFault: (error) => options.onFault("what is pruned from the request log", error),
      onRecovery: () => options.onRecovery("what is pruned from the request log"),
    });
  }

  /** For whoever is about to read: what was recorded on this server is there, if it can be written soon. */
  async catchUp(): Promise<void> {
    const written = Promise.all([this.recorder.writeRequests(), this.#worker?.catchUpOthers()]);
    await Promise.race([written, sleep(CATCHING_UP_MAX_MS, undefined, { ref: false })]);
  }

  /** What was recorded is written, if that can be done soon; what is not is told. */
  async close(): Promise<void> {
    this.#pruner.stop();
    const [unwritten] = await Promise.race([
      Promise.all([this.recorder.close(), this.#pruning.stop()]),
      sleep(CLOSING_MAX_MS, [["the last requests of the request log"]] as const, { ref: false }),
    ]);
    if (unwritten.length > 0)
      this.#onNotice(`could not be written before the stop and is left out: ${unwritten.join("; ")}`);
    await this.#all?.close();
  }
}

function openBlocks(options: RequestLogOptions): BlockStore | undefined {
  const { store, dataDir, keptDays, onNotice, worker, file: thread } = options;
  if (store.kind === "postgres") return postgresBlocks(store);
  const file = join(dataDir, REQUESTS_FILE);
  if (keptDays > 0) return sqliteBlocks({ file, onNotice, thread, reader: worker?.number });
  if (worker === undefined) removeRequestFile(file);
  return undefined;
}
