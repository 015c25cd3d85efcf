/**
 * The metrics of a server as a whole: what its workers count, added up, and what is there once, such as the memory of the process.
 *
 * What always holds: a counter never goes back. Of a worker that does not answer in time, what it last said is shown; what one that died
 * had last said stays in the sums.
 */
import { AggregatorRegistry, collectDefaultMetrics, Registry } from "prom-client";
import { type CountedMetric, collectFrom, type MetricNumber, showNumber } from "../http/metrics.ts";

/** Read since the start, though by its type it is a gauge. */
const GROWING_GAUGES: readonly string[] = ["lineup_answer_cache_reads"];

export class GatheredMetrics {
  readonly #own = new Registry();
  /** What each worker last said, by its number. */
  readonly #said = new Map<number, CountedMetric[]>();
  /** What those who are gone have counted. */
  #left: CountedMetric[] = [];

  constructor(numbers: readonly MetricNumber[]) {
    collectDefaultMetrics({ register: this.#own });
    for (const number of numbers) showNumber(number, this.#own);
  }

  note(worker: number, said: CountedMetric[]): void {
    this.#said.set(worker, said);
  }

  /** The worker is gone. */
  async keepWhatIsLeftOf(worker: number): Promise<void> {
    const said = this.#said.get(worker) ?? [];
    this.#said.delete(worker);
    const growing = said.filter(({ type, name }) => type !== "gauge" || GROWING_GAUGES.includes(name));
    this.#left = await collectFrom(addUp([this.#left, growing]));
  }

  async text(): Promise<string> {
    const own = await collectFrom(this.#own);
    const said = [...this.#said.values()].map((metrics) => metrics.filter(isOfThread).map(overall));
    // The thread that adds up serves nobody: how long it is held up says nothing.
    const ofProcess = own.filter(({ name }) => !name.startsWith("nodejs_eventloop_lag"));
    return addUp([...said, this.#left.filter(isOfThread), ofProcess]).metrics();
  }
}

function addUp(counted: readonly CountedMetric[][]): Registry {
  return AggregatorRegistry.aggregate(counted as unknown as object[]);
}

/** What is the same for all threads is told once. */
function isOfThread({ name }: CountedMetric): boolean {
  return !name.startsWith("process_") && name !== "nodejs_version_info";
}

/** The mean of several loops would hide the one that is held up. */
function overall(metric: CountedMetric): CountedMetric {
  const isLag = metric.name.startsWith("nodejs_eventloop_lag") && metric.aggregator === "average";
  return isLag ? { ...metric, aggregator: "max" } : metric;
}
