/**
 * Serialized answers of an organization's lists and records, cached until its data changes. An entry is good under the
 * revision it was read under, and the revision is asked of the store at every request; so nothing is served across a
 * write, whichever process made it. What time alone changes is cached with the span in which it holds: from the moment it was read at, for clocks
 * are also set back, until it next changes by itself. Bounded in bytes, the longest unused go first; and once the cache is full, only what is asked for a
 * second time enters it. Else a client that goes through everything once would push out what others ask for again and again.
 */
import { BoundedMap } from "../store/bounded-map.ts";
import { bytesOf, type SerializedData } from "./answer.ts";

const CACHE_MAX_BYTES = 24 * 1024 * 1024;
export const ENTRY_MAX_BYTES = 8 * 1024 * 1024;
/** How many answers that were not let in are known. */
const REFUSED_KNOWN_MAX = 1_024;
/** What an entry costs beside its bytes, roughly. */
const ENTRY_OVERHEAD_BYTES = 600;

/** The moments at which an answer holds, as long as nothing is written. */
export interface Span {
  readonly from: number;
  /** No longer at this one. */
  readonly until: number;
}

/** Of what time alone never changes. */
export const AT_ALL_TIMES: Span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

interface Entry {
  readonly revision: number;
  readonly span: Span;
  readonly data: SerializedData;
  readonly bytes: number;
}

export class AnswerCache {
  /** By organization and the request's target as the client wrote it; the longest unused first. */
  readonly #entries = new Map<string, Entry>();
  /** What was asked for and not let in, the longest ago first. */
  readonly #refused = new Set<string>();
  readonly #maxBytes: number;
  readonly #entryMaxBytes: number;
  bytes = 0;
  hits = 0;
  misses = 0;

  constructor(maxBytes = CACHE_MAX_BYTES) {
    this.#maxBytes = maxBytes;
    // One that takes all the room would push everything out, itself at last.
    this.#entryMaxBytes = Math.min(ENTRY_MAX_BYTES, this.#maxBytes / 3);
  }

  find(orgId: string, target: string, revision: number, now: number): SerializedData | undefined {
    const name = nameOf(orgId, target);
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.revision !== revision || !holdsAt(entry.span, now)) {
      this.#drop(name, entry);
      return undefined;
    }
    this.hits++;
    // While there is room for as much again, nothing is about to go, and the order does not matter.
    if (this.bytes > this.#maxBytes / 2) {
      this.#entries.delete(name);
      this.#entries.set(name, entry);
    }
    return entry.data;
  }

  add(orgId: string, target: string, revision: number, answered: SerializedData, span = AT_ALL_TIMES): void {
    // What is to be done when the first response is closed is not for the next.
    const { release: _, ...data } = answered;
    const name = nameOf(orgId, target);
    const bytes = bytesOf(data.start) + 2 * name.length + ENTRY_OVERHEAD_BYTES;
    if (bytes > this.#entryMaxBytes) return;
    const previous = this.#entries.get(name);
    if (previous !== undefined) this.#drop(name, previous);
    if (this.bytes + bytes > this.#maxBytes && this.#isRefused(name)) return;
    this.#entries.set(name, { revision, span, data, bytes });
    this.bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.bytes <= this.#maxBytes) break;
      this.#drop(oldest, entry);
    }
  }

  /** The first time; the second time it is let in. */
  #isRefused(name: string): boolean {
    if (this.#refused.delete(name)) return false;
    this.#refused.add(name);
    const [oldest] = this.#refused;
    if (this.#refused.size > REFUSED_KNOWN_MAX && oldest !== undefined) this.#refused.delete(oldest);
    return true;
  }

  #drop(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.bytes -= entry.bytes;
  }
}

function nameOf(orgId: string, target: string): string {
  return `${orgId} ${target}`;
}

function holdsAt({ from, until }: Span, now: number): boolean {
  return from <= now && now < until;
}

/** Organizations, times endpoints that time changes. Beyond it, what was asked first is forgotten, and asked again. */
const KNOWN_MAX = 10_000;

interface Known {
  readonly revision: number;
  /** Undefined where nobody can say without looking at too much: nothing is cached then, until something is written. */
  readonly span: Promise<Span | undefined>;
}

/**
 * Until when an endpoint's answers stand still for an organization, as long as nothing is written. To find that out takes a look at
 * many records, and it is the same for every filter, sort and page; so it is asked once for each revision and each such span, and not
 * once for each answer that is read. Requests that need it meanwhile wait for the same look.
 */
export class AnswerSpans {
  readonly #known = new BoundedMap<string, Known>(KNOWN_MAX);

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
      if (span === undefined || holdsAt(span, now)) return span;
      // Unless somebody has asked again while this one waited.
      if (this.#known.get(name) === known) break;
    }
    const span = findNextChange().then((until) => (until === undefined ? undefined : { from: now, until }));
    const asked: Known = { revision, span };
    this.#known.set(name, asked);
    try {
      return await span;
    } catch (error) {
      if (this.#known.get(name) === asked) this.#known.delete(name);
      throw error;
    }
  }

  get size(): number {
    return this.#known.size;
  }
}
