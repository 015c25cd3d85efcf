/** Random choices that all follow from one number, so that a walk can be walked again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. The generator is Mulberry32: short, fast, and even enough to choose by. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number; both ends may come. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    const picked = this.find(from);
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  }

  /** Undefined when there is nothing. */
  find<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.next() * from.length)];
  }

  /** One to three of them, each once. */
  some<T>(from: readonly T[]): T[] {
    return [...new Set(Array.from({ length: this.between(1, 3) }, () => this.pick(from)))];
  }

  /** By weight: of `{ a: 3, b: 1 }`, a comes three times as often. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [K, number])[0];
  }
}
