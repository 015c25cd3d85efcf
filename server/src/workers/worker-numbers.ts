/** How many workers a server has, among its metrics. */
import type { MetricNumber } from "../http/metrics.ts";

export function workerNumbers(read: () => { readonly serving: number; readonly replaced: number }): MetricNumber[] {
  return [
    { name: "lineup_workers", help: "Threads that serve.", kind: "gauge", read: () => read().serving },
    {
      name: "lineup_workers_replaced_total",
      help: "Threads that died and were replaced.",
      kind: "counter",
      read: () => read().replaced,
    },
  ];
}
