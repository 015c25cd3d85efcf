/** What `/metrics` shows of what is remembered beside answers: keys, and the revisions of organizations. */
import type { MetricNumber } from "./http/metrics.ts";
import type { MemoryUse } from "./store/store.ts";

export function memoryNumbers(what: "key" | "revision", things: string, use: () => MemoryUse): MetricNumber[] {
  return [
    { name: `lineup_${what}s_remembered`, help: `${things} in memory.`, kind: "gauge", read: () => use().kept },
    {
      name: `lineup_${what}_memory_hits_total`,
      help: `${things} that were asked for and in memory.`,
      kind: "counter",
      read: () => use().hits,
    },
    {
      name: `lineup_${what}_memory_misses_total`,
      help: `${things} that were asked for and had to be looked up.`,
      kind: "counter",
      read: () => use().misses,
    },
  ];
}
