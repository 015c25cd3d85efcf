/**
 * The oracle the engines are tested against: the rules of the windows over a plain list of timestamps, with nothing clever
 * in it and nothing shared with the engines.
 */
import { TIERS, type Tier } from "@lineup/api/tiers";

export interface ExpectedWindow {
  readonly name: "minute" | "day";
  readonly limit: number;
  readonly remaining: number;
  readonly resetInMs: number;
}

export interface ExpectedVerdict {
  readonly admitted: boolean;
  readonly minute: ExpectedWindow;
  readonly day: ExpectedWindow;
  readonly governing: "minute" | "day";
}

const WINDOW_MS = { minute: 60_000, day: 86_400_000 };

export class TimestampList {
  readonly times: number[] = [];
  /** A burst asks many times at one moment; what has left the windows by then need be searched only once. */
  #searchedAtMs = Number.NaN;
  #firstCounted = { minute: 0, day: 0 };

  take(nowMs: number, tier: Tier): ExpectedVerdict {
    const admitted = this.#wouldAdmit(nowMs, tier);
    if (admitted) this.times.push(nowMs);
    return this.#describe(admitted, nowMs, tier);
  }

  peek(nowMs: number, tier: Tier): ExpectedVerdict {
    return this.#describe(this.#wouldAdmit(nowMs, tier), nowMs, tier);
  }

  /** To be called by anyone who has put times into the list. */
  forgetSearch(): void {
    this.#searchedAtMs = Number.NaN;
  }

  /** The admissions that count at a moment, oldest first: number `index` of them. */
  countedTime(name: "minute" | "day", index: number, nowMs: number): number | undefined {
    return this.times[this.#first(name, nowMs) + index];
  }

  count(name: "minute" | "day", nowMs: number): number {
    return this.times.length - this.#first(name, nowMs);
  }

  #first(name: "minute" | "day", nowMs: number): number {
    if (nowMs !== this.#searchedAtMs) {
      this.#searchedAtMs = nowMs;
      for (const window of ["minute", "day"] as const) {
        const found = this.times.findIndex((time) => nowMs < time + WINDOW_MS[window]);
        this.#firstCounted[window] = found === -1 ? this.times.length : found;
      }
    }
    return this.#firstCounted[name];
  }

  #wouldAdmit(nowMs: number, tier: Tier): boolean {
    return this.count("minute", nowMs) < TIERS[tier].perMinute && this.count("day", nowMs) < TIERS[tier].perDay;
  }

  #describe(admitted: boolean, nowMs: number, tier: Tier): ExpectedVerdict {
    const minute = this.#window("minute", TIERS[tier].perMinute, nowMs);
    const day = this.#window("day", TIERS[tier].perDay, nowMs);
    if (admitted) return { admitted, minute, day, governing: day.remaining < minute.remaining ? "day" : "minute" };
    const minuteFreesIn = minute.remaining === 0 ? minute.resetInMs : 0;
    const dayFreesIn = day.remaining === 0 ? day.resetInMs : 0;
    return { admitted, minute, day, governing: dayFreesIn > minuteFreesIn ? "day" : "minute" };
  }

  #window(name: "minute" | "day", limit: number, nowMs: number): ExpectedWindow {
    const count = this.count(name, nowMs);
    const deciding = this.countedTime(name, count >= limit ? count - limit : 0, nowMs);
    const resetInMs = deciding === undefined ? 0 : deciding + WINDOW_MS[name] - nowMs;
    return { name, limit, remaining: Math.max(0, limit - count), resetInMs };
  }
}
