/**
 * What `/metrics` shows. Labels are routes and codes, never anything that a client sent. Requests are counted in plain
 * numbers, found by one look-up each, and put into Prometheus' words only when somebody asks.
 */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { AnswerCache } from "./answer-cache.ts";

export interface RequestFacts {
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly durationMs: number;
}

/** A number that somebody else keeps, read when metrics are asked for. */
export interface MetricNumber {
  readonly name: string;
  readonly help: string;
  readonly kind: "gauge" | "counter";
  /** Where it is several numbers: what they are told apart by. */
  readonly label?: string;
  read(): number | Readonly<Record<string, number>>;
}

export function gauge(name: string, help: string, read: MetricNumber["read"]): MetricNumber {
  return { name, help, kind: "gauge", read };
}

export function counter(name: string, help: string, read: MetricNumber["read"]): MetricNumber {
  return { name, help, kind: "counter", read };
}

const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

interface RouteCounts {
  readonly route: string;
  /** How many requests fell under each bound and not under the one before; the last is for those beyond all. */
  readonly buckets: number[];
  sumMs: number;
  readonly outcomes: Outcome[];
}

interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  count: number;
}

/** One of several processes that serve: its numbers bear a label, and each of them shows those of all. */
export interface MetricsWorker {
  readonly id: number;
  share(registry: Registry): void;
  readAll(): Promise<string>;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #worker: MetricsWorker | undefined;
  readonly #routes = new Map<string, RouteCounts>();
  readonly #malformed: Counter;

  constructor(cache: AnswerCache, numbers: readonly MetricNumber[] = [], worker?: MetricsWorker) {
    this.#worker = worker;
    if (worker !== undefined) this.#registry.setDefaultLabels({ worker: worker.id });
    worker?.share(this.#registry);
    const registers = [this.#registry];
    const routes = this.#routes;
    collectDefaultMetrics({ register: this.#registry });
    new Counter({
      name: "lineup_requests_total",
      help: "Requests under the prefix, actions of the dashboard and calendars, by route, status and error code.",
      labelNames: ["route", "status", "code"],
      registers,
      collect() {
        this.reset();
        for (const { route, outcomes } of routes.values()) {
          for (const { status, code = "", count } of outcomes) this.inc({ route, status: String(status), code }, count);
        }
      },
    });
    this.#registry.registerMetric(new Durations(routes) as unknown as Metric);
    this.#malformed = new Counter({
      name: "lineup_malformed_requests_total",
      help: "Requests that were not well-formed HTTP, too slow, or too large in their headers.",
      registers,
    });
    const reads = () => ({ hit: cache.hits, miss: cache.misses });
    const ofCache = [
      gauge("lineup_answer_cache_bytes", "Bytes of serialized answers kept in memory.", () => cache.bytes),
      {
        ...gauge("lineup_answer_cache_reads", "Reads of kept answers since the start, by outcome.", reads),
        label: "outcome",
      },
    ];
    for (const number of [...ofCache, ...numbers]) showNumber(number, registers);
  }

  countRequest({ route, status, code, durationMs }: RequestFacts): void {
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = { route, buckets: new Array(BOUNDS_MS.length + 1).fill(0), sumMs: 0, outcomes: [] };
      this.#routes.set(route, counts);
    }
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && durationMs > (BOUNDS_MS[bucket] as number)) bucket++;
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    counts.sumMs += durationMs;
    for (const outcome of counts.outcomes) {
      if (outcome.status !== status || outcome.code !== code) continue;
      outcome.count++;
      return;
    }
    counts.outcomes.push({ status, code, count: 1 });
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

/** Durations as Prometheus' client takes a metric, counted by nothing but additions. */
class Durations {
  readonly name = "lineup_request_duration_seconds";
  readonly help = "Time from the head of a request to its answer.";
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #routes: ReadonlyMap<string, RouteCounts>;

  constructor(routes: ReadonlyMap<string, RouteCounts>) {
    this.#routes = routes;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const values = [...this.#routes.values()].flatMap(({ route, buckets, sumMs }) => {
      let total = 0;
      const counted = buckets.map((count, index) => {
        total += count;
        return { labels: { le: BOUNDS_SECONDS[index] ?? "+Inf", route }, value: total, metricName: `${name}_bucket` };
      });
      const sum = { labels: { route }, value: sumMs / 1000, metricName: `${name}_sum` };
      return [...counted, sum, { labels: { route }, value: total, metricName: `${name}_count` }];
    });
    return { name, help, type, aggregator, values };
  }
}

function showNumber({ name, help, kind, label, read }: MetricNumber, registers: Registry[]): void {
  const labelNames = label === undefined ? [] : [label];
  const readAll = (): [Record<string, string>, number][] => {
    const found = read();
    if (typeof found === "number") return [[{}, found]];
    return Object.entries(found).map(([value, number]) => [{ [label ?? ""]: value }, number]);
  };
  const shown = {
    name,
    help,
    labelNames,
    registers,
    collect(this: Pick<Counter, "reset" | "inc">) {
      this.reset();
      for (const [labels, number] of readAll()) this.inc(labels, number);
    },
  };
  if (kind === "gauge") new Gauge(shown);
  else new Counter(shown);
}
