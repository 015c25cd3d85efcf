/**
 * What is to be done about a thread that has died, by the coordinating thread. Until then the others wait for the locks that it held.
 *
 * A record whose lock it held is as it should be (see shared-ring.ts): the lock is freed, and that is all. Only where it died
 * under the structure's lock may pages, records and table not fit together; they are then made anew from the records that are
 * keys'. The other threads may go on counting meanwhile, for nothing they do without that lock changes what is linked to what.
 */
import type { SharedAddresses } from "./shared-addresses.ts";
import type { SharedKeys } from "./shared-keys.ts";
import { breakLock, inheritLock, releaseLock } from "./shared-lock.ts";
import {
  ADDRESS_LOCK,
  COORDINATOR,
  CURRENT,
  FREE_PAGE,
  FREE_RECORD,
  GENERATION,
  HEAD_PAGE,
  KEY_COUNT,
  PAGES_MADE,
  RECORD_LOCK,
  RECORD_WORDS,
  RECORDS_MADE,
  type SharedMemory,
  STATE_WORDS,
  STATES,
  STRUCTURE_LOCK,
  TAIL_PAGE,
} from "./shared-memory.ts";

export function repairAfter(dead: number, memory: SharedMemory, keys: SharedKeys, addresses: SharedAddresses): void {
  const { header } = memory;
  if (inheritLock(header, STRUCTURE_LOCK, dead, COORDINATOR)) {
    memory.follow();
    rebuildStructure(memory, keys);
    releaseLock(header, STRUCTURE_LOCK);
  }
  if (inheritLock(header, ADDRESS_LOCK, dead, COORDINATOR)) {
    addresses.rebuild();
    releaseLock(header, ADDRESS_LOCK);
  }
  // Those that are made meanwhile it cannot have locked.
  memory.follow();
  const made = Math.min(Atomics.load(header, RECORDS_MADE), memory.words.length / RECORD_WORDS);
  for (let record = 0; record < made; record++) breakLock(memory.words, record * RECORD_WORDS + RECORD_LOCK, dead);
}

function rebuildStructure(memory: SharedMemory, keys: SharedKeys): void {
  const { header, words, buckets } = memory;
  const isPageUsed = new Uint8Array(header[PAGES_MADE] as number);
  buckets.fill(0);
  header[FREE_RECORD] = 0;
  header[KEY_COUNT] = 0;
  for (let record = 0; record < (header[RECORDS_MADE] as number); record++) {
    if (((words[record * RECORD_WORDS + GENERATION] as number) & 1) === 0) keys.addFreeRecord(record);
    else {
      keys.link(record);
      header[KEY_COUNT] = (header[KEY_COUNT] as number) + 1;
      markPages(record, memory, isPageUsed);
    }
  }
  header[FREE_PAGE] = 0;
  isPageUsed.forEach((isUsed, page) => {
    if (!isUsed) keys.releasePages(page, page);
  });
}

function markPages(record: number, memory: SharedMemory, isPageUsed: Uint8Array): void {
  const { words, links } = memory;
  const at = record * RECORD_WORDS;
  const state = at + STATES + (words[at + CURRENT] as number) * STATE_WORDS;
  const tail = words[state + TAIL_PAGE] as number;
  let page = words[state + HEAD_PAGE] as number;
  for (; page !== tail; page = links[page] as number) isPageUsed[page] = 1;
  isPageUsed[tail] = 1;
}
