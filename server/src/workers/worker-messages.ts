/** What workers and the thread that started them say to each other. */

import type { Config } from "../config.ts";
import type { CountedMetric } from "../http/metrics.ts";
import type { SharedLimits } from "../limits/shared-coordinator.ts";
import type { Answer } from "../request-log/request-file.ts";
import type { Statement } from "../request-log/request-file-thread.ts";
import type { SeenEnds } from "../store/store-ties.ts";
import type { ThreadFault } from "./thread-line.ts";
import type { NumberedWrite, WriteOutcome } from "./write-relay.ts";

/** What a worker is started with. */
export interface WorkerStart {
  readonly config: Config;
  readonly number: number;
  readonly port: number;
  readonly words: SharedArrayBuffer;
  readonly limits: SharedLimits["handle"] | undefined;
}

export type ToCoordinator = {
  readonly listening: readonly [address: string, nothing: unknown];
  /** The worker could not start. */
  readonly failed: readonly [why: ThreadFault, nothing: unknown];
  /** What the worker was told went wrong there. */
  readonly fault: readonly [fault: { readonly topic: string; readonly why: ThreadFault }, nothing: unknown];
  /** Whole lines; answered when they are written. */
  readonly log: readonly [lines: Uint8Array, nothing: unknown];
  readonly requestFile: readonly [statement: Statement, answer: Answer];
  /** What the other workers have recorded is to be written. */
  readonly catchUpOthers: readonly [nothing: undefined, nothing: unknown];
  readonly readAllMetrics: readonly [nothing: undefined, text: string];
  readonly findUnreadiness: readonly [nothing: undefined, reason: string | undefined];
  readonly marks: readonly [seen: SeenEnds, nothing: unknown];
  readonly writes: readonly [writes: readonly NumberedWrite[], nothing: unknown];
};

export type ToWorker = {
  readonly stop: readonly [nothing: undefined, nothing: unknown];
  readonly collectMetrics: readonly [nothing: undefined, counted: CountedMetric[]];
  readonly writeRequests: readonly [nothing: undefined, nothing: unknown];
  readonly written: readonly [outcomes: readonly WriteOutcome[], nothing: unknown];
  readonly marks: readonly [seen: SeenEnds, nothing: unknown];
};
