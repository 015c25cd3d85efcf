/** For tests: whether all that is linked in shared memory fits together, and what stands in it. */
import type { SharedLimitsHandle } from "../../src/limits/shared-coordinator.ts";
import { SharedKeys } from "../../src/limits/shared-keys.ts";
import {
  COORDINATOR,
  CURRENT,
  FREE_PAGE,
  FREE_RECORD,
  GENERATION,
  HEAD_PAGE,
  KEY_COUNT,
  NEXT,
  PAGES_MADE,
  RECORD_LOCK,
  RECORD_WORDS,
  RECORDS_MADE,
  SharedMemory,
  STATE_WORDS,
  STATES,
  STRUCTURE_LOCK,
  TAIL_PAGE,
} from "../../src/limits/shared-memory.ts";
import { SharedRing } from "../../src/limits/shared-ring.ts";

export interface SharedContents {
  /** The admissions of each key: the number of the first and their times, of which 32 bits are kept. */
  readonly keys: Map<string, { firstNumber: number; times: number[] }>;
  readonly pagesMade: number;
  readonly pagesUsed: number;
}

/** While no thread works on it. Throws where anything does not fit. */
export function readSharedMemory(handle: SharedLimitsHandle): SharedContents {
  const memory = new SharedMemory(handle);
  const keys = new SharedKeys(memory, COORDINATOR, 100);
  const ring = new SharedRing(memory, keys);
  const contents: SharedContents["keys"] = new Map();
  const users = new Map<number, string>();
  require(memory.header[STRUCTURE_LOCK] === 0, "the structure is locked");
  for (let record = 0; record < wordOf(memory.header, RECORDS_MADE); record++) {
    const at = record * RECORD_WORDS;
    require(memory.words[at + RECORD_LOCK] === 0, `record ${record} is locked`);
    if ((wordOf(memory.words, at + GENERATION) & 1) === 0) continue;
    const name = keys.readName(record);
    require(keys.find(name)?.record === record, `${name} is not found`);
    for (const page of pagesOf(memory, at)) {
      require(!users.has(page), `page ${page} is that of ${users.get(page)} and of ${name}`);
      users.set(page, name);
    }
    ring.open(record);
    const slots = new Uint32Array(ring.length);
    ring.copyFrom(ring.firstNumber, slots);
    contents.set(name, { firstNumber: ring.firstNumber, times: [...slots] });
  }
  const pagesUsed = users.size;
  for (const page of listFrom(wordOf(memory.header, FREE_PAGE), (free) => wordOf(memory.links, free) + 1)) {
    require(!users.has(page), `page ${page} is free, and that of ${users.get(page)}`);
    users.set(page, "nobody");
  }
  const pagesMade = wordOf(memory.header, PAGES_MADE);
  require(users.size === pagesMade, `${pagesMade - users.size} pages are lost`);
  const nextFree = (record: number) => wordOf(memory.words, record * RECORD_WORDS + NEXT);
  const freeRecords = [...listFrom(wordOf(memory.header, FREE_RECORD), nextFree)].length;
  require(freeRecords + contents.size === memory.header[RECORDS_MADE], "records are lost");
  require(memory.header[KEY_COUNT] === contents.size, "the keys are miscounted");
  return { keys: contents, pagesMade, pagesUsed };
}

function* pagesOf(memory: SharedMemory, at: number): Generator<number> {
  const state = at + STATES + wordOf(memory.words, at + CURRENT) * STATE_WORDS;
  const tail = wordOf(memory.words, state + TAIL_PAGE);
  let page = wordOf(memory.words, state + HEAD_PAGE);
  for (; page !== tail; page = wordOf(memory.links, page)) yield page;
  yield tail;
}

/** What begins with the number of the first and 1. */
function* listFrom(first: number, nextOf: (number: number) => number): Generator<number> {
  for (let next = first; next !== 0; next = nextOf(next - 1)) yield next - 1;
}

function wordOf(words: Int32Array, at: number): number {
  return words[at] as number;
}

function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`The shared memory is not as it should be: ${otherwise}.`);
}
