/** The log of requests as the rest of the server sees it: it records, is searched, and keeps itself tidy. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { REQUESTS_FILE } from "../store/data-files.ts";
import type { Store } from "../store/store.ts";
import { RepeatedWork } from "./repeated-work.ts";
import { type BlockStore, postgresBlocks } from "./request-block.ts";
import { RequestPruner } from "./request-pruner.ts";
import { RequestRecorder } from "./request-recorder.ts";
import { removeRequestFile, SqliteBlocks } from "./sqlite-blocks.ts";

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
}

export class RequestLog {
  readonly recorder: RequestRecorder;
  /** Undefined where no requests are kept. */
  readonly blocks: BlockStore | undefined;
  readonly keptDays: number;
  readonly #all: BlockStore | undefined;
  readonly #pruner: RequestPruner;
  readonly #pruning: RepeatedWork;
  readonly #onNotice: (notice: string) => void;

  constructor(options: RequestLogOptions) {
    const { store, keptDays, now } = options;
    this.#onNotice = options.onNotice;
    this.#all = openBlocks(options);
    this.blocks = keptDays > 0 ? this.#all : undefined;
    this.keptDays = keptDays;
    this.recorder = new RequestRecorder({ ...options, blocks: this.blocks });
    this.#pruner = new RequestPruner({ store, blocks: this.#all, keptDays });
    let pauseMs = FIRST_PRUNING_MS;
    this.#pruning = new RepeatedWork({
      work: () => {
        pauseMs = PRUNING_EVERY_MS;
        return this.#pruner.prune(now());
      },
      pauseMs: () => pauseMs + Math.random() * PRUNING_JITTER_MS,
      onFault: (error) => options.onFault("what is pruned from the request log", error),
      onRecovery: () => options.onRecovery("what is pruned from the request log"),
    });
  }

  /** Before a search: what was recorded on this server is there, if it can be written soon. */
  async catchUp(): Promise<void> {
    await Promise.race([this.recorder.writeRequests(), sleep(CATCHING_UP_MAX_MS, undefined, { ref: false })]);
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

function openBlocks({ store, dataDir, keptDays, onNotice }: RequestLogOptions): BlockStore | undefined {
  if (store.kind === "postgres") return postgresBlocks(store);
  const file = join(dataDir, REQUESTS_FILE);
  if (keptDays > 0) return new SqliteBlocks(file, onNotice);
  removeRequestFile(file);
  return undefined;
}
