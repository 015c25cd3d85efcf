/** One worker's place in a server of several: what it shares with the others, and how it reaches them. */

import type { CountedMetric } from "../http/metrics.ts";
import type { SharedLimits } from "../limits/shared-coordinator.ts";
import type { StatementRunner } from "../request-log/request-file-thread.ts";
import type { MakeWrite } from "../resources/context.ts";
import type { StoreTies } from "../store/store-ties.ts";

export interface WorkerPlace {
  /** From 1. */
  readonly number: number;
  readonly workers: number;
  /** 0 for the first of them, where any free port will do; the others join it there. */
  readonly port: number;
  readonly ties: StoreTies;
  /** Undefined where requests are counted in Redis. */
  readonly limits: SharedLimits["handle"] | undefined;
  readonly requestFile: StatementRunner;
  /** How this worker's writes are made, given how it makes them itself. */
  shareWrites(makeHere: MakeWrite): MakeWrite;
  /** What the other workers have recorded is written. */
  catchUpOthers(): Promise<void>;
  /** The metrics of the whole server. */
  readAllMetrics(): Promise<string>;
  /** Why the server as a whole is not ready, whatever this worker finds of itself. */
  findUnreadiness(): Promise<string | undefined>;
  findDegradation(): string | undefined;
  /** What the others may ask of this one. */
  offer(offered: OfferedByWorker): void;
}

export interface OfferedByWorker {
  collectMetrics(): Promise<CountedMetric[]>;
  writeRequests(): Promise<void>;
}
