/**
 * Until when an endpoint's answers stand still for an organization, as long as nothing is written. To find that out takes a look at
 * many records, and it is the same for every filter, sort and page; so it is asked once for each revision and each such span, and not
 * once for each answer that is read. Requests that need it meanwhile wait for the same look.
 */
import type { Span } from "./answer-cache.ts";

/** Organizations, times endpoints that time changes. Beyond it, what was asked first is forgotten, and asked again. */
const KNOWN_MAX = 10_000;

interface Known {
  readonly revision: number;
  /** Undefined where nobody can say without looking at too much: nothing is cached then, until something is written. */
  readonly span: Promise<Span | undefined>;
}

export class AnswerSpans {
  readonly #known = new Map<string, Known>();

  /** `name` is that of the organization and the endpoint; `findNextChange` looks at the data as they are now. */
  async find(
    name: string,
    revision: number,
    now: number,
    findNextChange: () => Promise<number | undefined>,
  ): Promise<Span | undefined> {
    for (;;) {
      const known = this.#known.get(name);
      if (known?.revision !== revision) break;
      const span = await known.span;
      if (span === undefined || (span.from <= now && now < span.until)) return span;
      // Unless somebody has asked again while this one waited.
      if (this.#known.get(name) === known) break;
    }
    return this.#ask(name, revision, now, findNextChange);
  }

  get size(): number {
    return this.#known.size;
  }

  async #ask(
    name: string,
    revision: number,
    now: number,
    findNextChange: () => Promise<number | undefined>,
  ): Promise<Span | undefined> {
    const span = findNextChange().then((until) => (until === undefined ? undefined : { from: now, until }));
    const asked: Known = { revision, span };
    this.#known.delete(name);
    this.#known.set(name, asked);
    for (const first of this.#known.keys()) {
      if (this.#known.size <= KNOWN_MAX) break;
      this.#known.delete(first);
    }
    try {
      return await span;
    } catch (error) {
      if (this.#known.get(name) === asked) this.#known.delete(name);
      throw error;
    }
  }
}
