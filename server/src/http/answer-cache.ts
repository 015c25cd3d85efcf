/**
 * Serialized answers of an organization's lists and records, kept until its data changes. An entry is good under the
 * revision it was read under, and the revision is asked of the store at every request; so nothing is served across a
 * write, whoever made it. What time alone changes is kept with the span in which it holds: from the moment it was read at, for clocks
 * are also set back, until it next changes by itself. Bounded in bytes, the longest unused go first; but only for what is asked for a second
 * time. Answers that nobody asks for again, such as those to a client that goes through everything once, would else push out those that are, and
 * each would stay just long enough to be left to V8's slow collector, which lets a hundred megabytes of them gather.
 *
 * An entry is found by its organization, then by the request's target as the client wrote it: both texts are there already,
 * and one made of them would have to be read whole before it could be looked up.
 */
import { bytesOf, keepOpening, type SerializedData } from "./answer.ts";
import { Encodings } from "./encoded-answer.ts";

const KEPT_MAX_BYTES = 24 * 1024 * 1024;
const ENTRY_MAX_BYTES = 8 * 1024 * 1024;
/** Of what was not kept, so much is known: whoever asks for it again has to do so before so many others are asked for. */
const REFUSED_KNOWN_MAX = 1_024;
/** What an entry costs beside its bytes, roughly, the map of an organization's only one included. */
const ENTRY_OVERHEAD_BYTES = 800;

/** The moments at which an answer holds, as long as nothing is written. */
export interface Span {
  readonly from: number;
  /** No longer at this one. */
  readonly until: number;
}

/** Of what time alone never changes. */
export const AT_ALL_TIMES: Span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

interface Entry {
  readonly orgId: string;
  readonly target: string;
  readonly revision: number;
  readonly span: Span;
  readonly data: SerializedData;
  bytes: number;
}

export class AnswerCache {
  readonly #byOrg = new Map<string, Map<string, Entry>>();
  /** The longest unused first. */
  readonly #byUse = new Set<Entry>();
  /** What was asked for and not kept, the longest ago first. */
  readonly #refused = new Set<string>();
  readonly #keptMaxBytes: number;
  readonly #entryMaxBytes: number;
  #bytes = 0;
  hits = 0;
  misses = 0;

  /** Several workers share what one would have. */
  constructor(workers = 1) {
    this.#keptMaxBytes = KEPT_MAX_BYTES / workers;
    // One that takes all the room would push everything out, itself at last.
    this.#entryMaxBytes = Math.min(ENTRY_MAX_BYTES, this.#keptMaxBytes / 3);
  }

  find(orgId: string, target: string, revision: number, now: number): SerializedData | undefined {
    const entry = this.#byOrg.get(orgId)?.get(target);
    if (entry === undefined || entry.revision !== revision || !holdsAt(entry.span, now)) {
      this.misses++;
      if (entry !== undefined) this.#drop(entry);
      return undefined;
    }
    this.hits++;
    keepOpening(entry.data);
    // While there is room for as much again, nothing is about to go, and the order does not matter.
    if (this.#bytes > this.#keptMaxBytes / 2) {
      this.#byUse.delete(entry);
      this.#byUse.add(entry);
    }
    return entry.data;
  }

  /** Returns whether it is kept. */
  keep(orgId: string, target: string, revision: number, answered: SerializedData, span = AT_ALL_TIMES): boolean {
    // What is still being read is kept when it is whole, by whoever reads it.
    if (answered.coming !== undefined) return false;
    // What is to be done when the first response is closed is not for the next.
    const { onClosed, ...shared } = answered;
    const encodings = new Encodings((grown) => this.#grow(entry, grown));
    const data: SerializedData = typeof shared.json === "string" ? shared : { ...shared, encodings };
    // A text takes up to two bytes a character, and is kept as bytes too once it was asked for again.
    const size = typeof data.json === "string" ? data.json.length * 2 + bytesOf(data) : bytesOf(data);
    const bytes = size + target.length * 2 + ENTRY_OVERHEAD_BYTES;
    if (bytes > this.#entryMaxBytes) return false;
    const entries = this.#byOrg.get(orgId) ?? new Map<string, Entry>();
    const previous = entries.get(target);
    if (previous?.revision === revision && previous.span === span && previous.data.json === data.json) return true;
    if (previous !== undefined) this.#drop(previous);
    if (this.#bytes + bytes > this.#keptMaxBytes && this.#isRefused(`${orgId} ${target}`)) return false;
    const entry: Entry = { orgId, target, revision, span, data, bytes };
    entries.set(target, entry);
    this.#byOrg.set(orgId, entries);
    this.#byUse.add(entry);
    this.#bytes += bytes;
    this.#makeRoom();
    return true;
  }

  /** The first time; whoever asks again is told that it is not. */
  #isRefused(question: string): boolean {
    if (this.#refused.delete(question)) return false;
    this.#refused.add(question);
    const [oldest] = this.#refused;
    if (this.#refused.size > REFUSED_KNOWN_MAX && oldest !== undefined) this.#refused.delete(oldest);
    return true;
  }

  /** What was compressed for one client is kept for the next. */
  #grow(entry: Entry, bytes: number): void {
    if (!this.#byUse.has(entry)) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const oldest of this.#byUse) {
      if (this.#bytes <= this.#keptMaxBytes) break;
      this.#drop(oldest);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  #drop(entry: Entry): void {
    const entries = this.#byOrg.get(entry.orgId);
    entries?.delete(entry.target);
    if (entries?.size === 0) this.#byOrg.delete(entry.orgId);
    this.#byUse.delete(entry);
    this.#bytes -= entry.bytes;
  }
}

function holdsAt({ from, until }: Span, now: number): boolean {
  return from <= now && now < until;
}
