import type { Clock } from "../src/limits/clock.ts";

/** A clock that stands still until told otherwise, for tests. */
export class ManualClock implements Clock {
  readonly bootId: string | undefined;
  #wallMs: number;
  #monotonicMs: number;

  constructor(wallMs = Date.UTC(2026, 0, 1), monotonicMs = 5_000, bootId?: string) {
    this.bootId = bootId;
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Time passes on both clocks. */
  advance(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Somebody sets the wall clock; no time passes. */
  jumpWall(ms: number): void {
    this.#wallMs += ms;
  }
}
