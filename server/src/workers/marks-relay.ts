/**
 * Passes on how far the audit log was seen, a little later and many ends at once: a mark that is late says too little, never too much.
 * Of several ends of a chain the last is told.
 */
import type { MarksTie, SeenEnds } from "../store/store-ties.ts";

const TOLD_AFTER_MS = 200;

export class MarksRelay implements MarksTie {
  readonly writesFile: boolean;
  readonly #send: (seen: SeenEnds) => void;
  #gathered = new Map<string, SeenEnds[number]>();
  #hear: ((seen: SeenEnds) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(writesFile: boolean, send: (seen: SeenEnds) => void) {
    this.writesFile = writesFile;
    this.#send = send;
  }

  tell(seen: SeenEnds): void {
    for (const one of seen) this.#gathered.set(one[0], one);
    this.#timer ??= setTimeout(() => this.flush(), TOLD_AFTER_MS).unref();
  }

  listen(hear: (seen: SeenEnds) => void): void {
    this.#hear = hear;
  }

  hear(seen: SeenEnds): void {
    this.#hear?.(seen);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.size > 0) this.#send([...this.#gathered.values()]);
    this.#gathered = new Map();
  }
}
