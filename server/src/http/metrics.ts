/**
 * What `/metrics` shows. Labels are routes and codes, never anything that a client sent. Requests are counted in plain
 * numbers, found by one look-up each, and put into Prometheus' words only when somebody asks.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
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
  /** What the server as a whole shows where several of its workers have one; unless told, their sum. */
  readonly overall?: "min" | "max";
  read(): number;
}

/** What one worker counts, as it travels to whoever adds up all of them. */
export interface CountedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    readonly metricName?: string;
  }[];
}

const DURATIONS = "lineup_request_duration_seconds";
const DURATIONS_HELP = "Time from the head of a request to its answer.";
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

export class Metrics {
  /** What stands before the durations, and what after them. */
  readonly #first = new Registry();
  readonly #rest = new Registry();
  readonly #routes = new Map<string, RouteCounts>();
  readonly #malformed: Counter;
  readonly #readAll: (() => Promise<string>) | undefined;

  /** With `readAll`, others count too, and it shows all together. */
  constructor(cache: AnswerCache, numbers: readonly MetricNumber[] = [], readAll?: () => Promise<string>) {
    this.#readAll = readAll;
    const registers = [this.#rest];
    const routes = this.#routes;
    collectDefaultMetrics({ register: this.#first });
    new Counter({
      name: "lineup_requests_total",
      help: "Requests under the prefix and actions of the dashboard, by route, status and error code.",
      labelNames: ["route", "status", "code"],
      registers: [this.#first],
      collect() {
        this.reset();
        for (const { route, outcomes } of routes.values()) {
          for (const { status, code = "", count } of outcomes) this.inc({ route, status: String(status), code }, count);
        }
      },
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
    for (const number of numbers) showNumber(number, this.#rest);
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
    return this.#first.contentType;
  }

  async text(): Promise<string> {
    if (this.#readAll !== undefined) return this.#readAll();
    return [await this.#first.metrics(), this.#renderDurations(), await this.#rest.metrics()].join("\n");
  }

  /** All that is counted here, to be added to what others count. */
  async collect(): Promise<CountedMetric[]> {
    const [first, rest] = await Promise.all([collectFrom(this.#first), collectFrom(this.#rest)]);
    return [...first, this.#collectDurations(), ...rest];
  }

  #collectDurations(): CountedMetric {
    const values = [...this.#routes.values()].flatMap(({ route, buckets, sumMs }) => {
      let total = 0;
      const counted = buckets.map((count, index) => {
        total += count;
        return {
          labels: { le: BOUNDS_SECONDS[index] ?? "+Inf", route },
          value: total,
          metricName: `${DURATIONS}_bucket`,
        };
      });
      const sum = { labels: { route }, value: sumMs / 1000, metricName: `${DURATIONS}_sum` };
      return [...counted, sum, { labels: { route }, value: total, metricName: `${DURATIONS}_count` }];
    });
    return { name: DURATIONS, help: DURATIONS_HELP, type: "histogram", aggregator: "sum", values };
  }

  #renderDurations(): string {
    const lines = [`# HELP ${DURATIONS} ${DURATIONS_HELP}`, `# TYPE ${DURATIONS} histogram`];
    for (const { route, buckets, sumMs } of this.#routes.values()) {
      let total = 0;
      for (const [index, count] of buckets.entries()) {
        total += count;
        lines.push(`${DURATIONS}_bucket{le="${BOUNDS_SECONDS[index] ?? "+Inf"}",route="${route}"} ${total}`);
      }
      lines.push(`${DURATIONS}_sum{route="${route}"} ${sumMs / 1000}`, `${DURATIONS}_count{route="${route}"} ${total}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

/** As plain data, which travels between threads. */
export async function collectFrom(registry: Registry): Promise<CountedMetric[]> {
  const metrics = (await registry.getMetricsAsJSON()) as unknown as CountedMetric[];
  return metrics.map(({ name, help, type, aggregator, values }) => ({
    name,
    help,
    type,
    aggregator,
    values: values.map(({ labels, value, metricName }) => ({
      labels: { ...labels },
      value,
      ...(metricName === undefined ? {} : { metricName }),
    })),
  }));
}

export function showNumber({ name, help, kind, overall, read }: MetricNumber, registry: Registry): void {
  if (kind === "gauge") {
    new Gauge({
      name,
      help,
      aggregator: overall ?? "sum",
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
    return;
  }
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
