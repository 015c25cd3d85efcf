/** What `/metrics` shows. Labels are routes and codes, never anything that a client sent. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AnswerCache } from "./answer-cache.ts";

export interface RequestFacts {
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly durationMs: number;
}

/** A number that somebody else keeps, read when metrics are asked for. */
export type MetricNumber = (registers: Registry[]) => Counter | Gauge;
/** Where it is several numbers, a label tells them apart. */
type Read = () => number | Readonly<Record<string, number>>;

export function gauge(name: string, help: string, read: Read, label?: string): MetricNumber {
  return (registers) => new Gauge({ ...describeNumber(name, help, read, label), registers });
}

export function counter(name: string, help: string, read: Read, label?: string): MetricNumber {
  return (registers) => new Counter({ ...describeNumber(name, help, read, label), registers });
}

function describeNumber(name: string, help: string, read: Read, label = "") {
  return {
    name,
    help,
    labelNames: label === "" ? [] : [label],
    collect(this: Pick<Counter, "reset" | "inc">) {
      this.reset();
      const found = read();
      if (typeof found === "number") this.inc(found);
      else for (const [value, number] of Object.entries(found)) this.inc({ [label]: value }, number);
    },
  };
}

const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** One of several processes that serve: its numbers bear a label, and each of them shows those of all. */
export interface MetricsWorker {
  readonly id: number;
  share(registry: Registry): void;
  readAll(): Promise<string>;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #worker: MetricsWorker | undefined;
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #malformed: Counter;

  constructor(cache: AnswerCache, numbers: readonly MetricNumber[] = [], worker?: MetricsWorker) {
    this.#worker = worker;
    if (worker !== undefined) this.#registry.setDefaultLabels({ worker: worker.id });
    worker?.share(this.#registry);
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: "lineup_requests_total",
      help: "Requests under the prefix, actions of the dashboard and calendars, by route, status and error code.",
      labelNames: ["route", "status", "code"],
      registers,
    });
    this.#durations = new Histogram({
      name: "lineup_request_duration_seconds",
      help: "Time from the head of a request to its answer.",
      labelNames: ["route"],
      buckets: BOUNDS_SECONDS,
      registers,
    });
    this.#malformed = new Counter({
      name: "lineup_malformed_requests_total",
      help: "Requests that were not well-formed HTTP, too slow, or too large in their headers.",
      registers,
    });
    const reads = () => ({ hit: cache.hits, miss: cache.misses });
    const ofCache = [
      gauge("lineup_answer_cache_bytes", "Bytes of serialized answers kept in memory.", () => cache.bytes),
      gauge("lineup_answer_cache_reads", "Reads of kept answers since the start, by outcome.", reads, "outcome"),
    ];
    for (const show of [...ofCache, ...numbers]) show(registers);
  }

  countRequest({ route, status, code = "", durationMs }: RequestFacts): void {
    this.#requests.inc({ route, status: String(status), code });
    this.#durations.observe({ route }, durationMs / 1000);
  }

  countMalformed(): void {
    this.#malformed.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#worker?.readAll() ?? this.#registry.metrics();
  }
}
