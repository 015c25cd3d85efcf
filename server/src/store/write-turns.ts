/**
 * Turns of those who write to one organization. They go one after another anyway, for the row they all take first; but who waits in the
 * database holds a connection meanwhile, and a few of them would keep every other organization from the pool.
 */
const PATIENCE_MS = 30_000;
const WAITING_MAX = 1_000;

type Enter = () => void;

export class WriteTurns {
  /** Those who wait, for each organization that somebody is writing to. */
  readonly #waiting = new Map<string, Set<Enter>>();

  /** Returns what has to be called when the turn is over. */
  async take(orgId: string): Promise<() => void> {
    const leave = () => this.#leave(orgId);
    const waiting = this.#waiting.get(orgId);
    if (waiting === undefined) {
      this.#waiting.set(orgId, new Set());
      return leave;
    }
    if (waiting.size >= WAITING_MAX) throw new Error("Too many writers are waiting for the organization.");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.delete(resolve);
      reject(new Error("Others wrote to the organization for too long; the transaction was not begun."));
    }, PATIENCE_MS);
    waiting.add(resolve);
    await promise.finally(() => clearTimeout(timer));
    return leave;
  }

  #leave(orgId: string): void {
    const waiting = this.#waiting.get(orgId);
    const [next] = waiting ?? [];
    if (next === undefined) {
      this.#waiting.delete(orgId);
      return;
    }
    waiting?.delete(next);
    next();
  }
}
