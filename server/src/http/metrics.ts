/** What `/metrics` shows. Labels are routes and codes, never anything that a client sent. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AnswerCache } from "./answer-cache.ts";

export interface RequestFacts {
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly durationMs: number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"route" | "status" | "code">;
  readonly #durations: Histogram<"route">;
  readonly #malformed: Counter;

  constructor(cache: AnswerCache) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: "lineup_requests_total",
      help: "Requests under the prefix, by route, status and error code.",
      labelNames: ["route", "status", "code"],
      registers,
    });
    this.#durations = new Histogram({
      name: "lineup_request_duration_seconds",
      help: "Time from the head of a request to its answer.",
      labelNames: ["route"],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    });
    this.#malformed = new Counter({
      name: "lineup_malformed_requests_total",
      help: "Requests that were not well-formed HTTP, too slow, or too large in their headers.",
      registers,
    });
    new Gauge({
      name: "lineup_answer_cache_bytes",
      help: "Bytes of serialized answers kept in memory.",
      registers,
      collect() {
        this.set(cache.bytes);
      },
    });
    new Gauge({
      name: "lineup_answer_cache_reads",
      help: "Reads of kept answers since the start, by outcome.",
      labelNames: ["outcome"],
      registers,
      collect() {
        this.set({ outcome: "hit" }, cache.hits);
        this.set({ outcome: "miss" }, cache.misses);
      },
    });
  }

  countRequest({ route, status, code, durationMs }: RequestFacts): void {
    this.#requests.inc({ route, status: String(status), code: code ?? "" });
    this.#durations.observe({ route }, durationMs / 1000);
  }

  countMalformed(): void {
    this.#malformed.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
