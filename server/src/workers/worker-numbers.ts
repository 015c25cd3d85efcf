/** What a server tells of its workers, among its metrics. */
import type { MetricNumber } from "../http/metrics.ts";

export interface CrewFigures {
  readonly serving: number;
  readonly replaced: number;
  readonly writtenForThem: number;
}

/** Of a server that is one thread. */
export const NO_CREW: CrewFigures = { serving: 1, replaced: 0, writtenForThem: 0 };

export function workerNumbers(read: () => CrewFigures): MetricNumber[] {
  return [
    { name: "lineup_workers", help: "Threads that serve.", kind: "gauge", read: () => read().serving },
    {
      name: "lineup_workers_replaced_total",
      help: "Threads that died and were replaced.",
      kind: "counter",
      read: () => read().replaced,
    },
    {
      name: "lineup_worker_writes_total",
      help: "Writes made for workers by the thread that starts them.",
      kind: "counter",
      read: () => read().writtenForThem,
    },
  ];
}
