/**
 * Serialized answers of an organization's lists and records, kept until its data changes. An entry is good under the
 * revision it was read under, and the revision is asked of the store at every request; so nothing is served across a
 * write, whoever made it. Only answers that time alone cannot change are kept. Bounded in bytes, the longest unused go first.
 */
import { bytesOf, type SerializedData } from "./answer.ts";

const KEPT_MAX_BYTES = 64 * 1024 * 1024;
const ENTRY_MAX_BYTES = 8 * 1024 * 1024;
/** What an entry costs beside its bytes, roughly. */
const ENTRY_OVERHEAD_BYTES = 300;

interface Entry {
  readonly revision: number;
  readonly data: SerializedData;
  readonly bytes: number;
}

export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  hits = 0;
  misses = 0;

  find(key: string, revision: number): SerializedData | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.revision !== revision) {
      this.misses++;
      if (entry !== undefined) this.#drop(key, entry);
      return undefined;
    }
    this.hits++;
    // While there is room for as much again, nothing is about to go, and the order does not matter.
    if (this.#bytes > KEPT_MAX_BYTES / 2) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry.data;
  }

  keep(key: string, revision: number, answered: SerializedData): void {
    // What is to be done when the first response is closed is not for the next.
    const { onClosed, ...data } = answered;
    // A string takes up to two bytes a character.
    const size = typeof data.json === "string" ? data.json.length * 2 : bytesOf(data);
    const bytes = size + key.length * 2 + ENTRY_OVERHEAD_BYTES;
    if (bytes > ENTRY_MAX_BYTES) return;
    const previous = this.#entries.get(key);
    if (previous !== undefined) this.#drop(key, previous);
    this.#entries.set(key, { revision, data, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= KEPT_MAX_BYTES) break;
      this.#drop(oldest, entry);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
