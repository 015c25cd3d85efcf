/** Counts what was done, so that a walk that proves little is seen to. */
export class Tally {
  readonly #counts = new Map<string, number>();

  count(kind: string, name: string): void {
    const key = `${kind} ${name}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  of(kind: string, name: string): number {
    return this.#counts.get(`${kind} ${name}`) ?? 0;
  }

  /** How many of a kind there were, whatever their names. */
  all(kind: string): number {
    let all = 0;
    for (const [key, count] of this.#counts) if (key.startsWith(`${kind} `)) all += count;
    return all;
  }

  toString(): string {
    return [...this.#counts]
      .sort()
      .map(([name, count]) => `${name}: ${count}`)
      .join("\n");
  }
}
