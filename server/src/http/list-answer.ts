/**
 * Lists, whole or in pages. A whole list is read slice by slice, as JSON, with other requests served in between, so
 * that a list of a hundred thousand holds up nobody and never stands in memory as objects. More than one slice
 * is read from one snapshot of the store, or under one revision: the answer is of one moment, whatever is written meanwhile.
 *
 * What turns out to be large, by its items or its bytes, is dropped, waits for a slot among the large answers, and is then sent while it is
 * read. It is read at full speed, whatever its client takes: the store has few snapshots, and none is to wait for a slow client. What is not taken yet
 * stays in memory, which the number of slots bounds.
 */
import { type Duplex, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { List, PageRequest, Position } from "../store/list.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import {
  type ByteText,
  beginList,
  bytesOf,
  endOfList,
  LIST_OPENING,
  type SerializedData,
  type StreamedData,
  serializedList,
  serializeList,
} from "./answer.ts";
import { ENTRY_MAX_BYTES } from "./answer-cache.ts";
import { ClientGone } from "./json-body.ts";
import { LARGE_ANSWER_BYTES, largeAnswers } from "./large-answers.ts";

/** What has more is large, whatever its size. */
const SMALL_LIST_ITEMS = 1_000;
/** A slice is to be one to three milliseconds of work. How many items that are depends on their size, which the last slice tells. */
const SLICE_BYTES = 96 * 1024;
/** Before that is known: few enough to be a few slices' worth even where each is as large as may be. */
const FIRST_SLICE_ITEMS = 50;
const SLICE_ITEMS_MAX = 1_000;
/** The list that a verb makes on a handle. */
export type ListOf = (org: OrgStore) => List<unknown>;

/** Whose list it is, and over which connection it goes. */
export interface ListReader {
  readonly store: Store;
  readonly orgId: string;
  readonly connection: Duplex;
}

/** Why an answer ended early that had begun to be sent. */
export class BrokenOff extends Error {}

/** The whole list, unless it turns out to be large. No query of this is to read more than a slice or two, which the first few items tell. */
export async function readSmallList({ store, orgId }: ListReader, listOf: ListOf): Promise<SerializedData | undefined> {
  const list = listOf(store.org(orgId));
  const first = await list.readBeginning(FIRST_SLICE_ITEMS);
  if (first.count < FIRST_SLICE_ITEMS) return serializeIfSmall([first.bytes], first.count);
  const count = await list.countUpTo(SMALL_LIST_ITEMS + 1);
  // The last look was a slice's worth of work by itself.
  await nextTurn();
  if (count > SMALL_LIST_ITEMS) return undefined;
  const expectedBytes = (first.bytes.length / first.count) * count;
  if (expectedBytes > 4 * SLICE_BYTES) return gatherOfOneMoment(store, orgId, listOf);
  const beginning = await list.readBeginning(SMALL_LIST_ITEMS + 1);
  return serializeIfSmall([beginning.bytes], beginning.count);
}

/** Every write gives the organization a new revision; so what was read under one is of one moment, and needs no snapshot. */
async function gatherOfOneMoment(store: Store, orgId: string, listOf: ListOf): Promise<SerializedData | undefined> {
  const org = store.org(orgId);
  const revision = await org.readRevision();
  const gathered = await gatherIfSmall(listOf(org));
  if (gathered === undefined || (await org.readRevision()) === revision) return gathered;
  return store.readOrgAtOnce(orgId, (handle) => gatherIfSmall(listOf(handle)));
}

async function gatherIfSmall(list: List<unknown>): Promise<SerializedData | undefined> {
  const slices: Buffer[] = [];
  let [count, size, limit] = [0, 0, FIRST_SLICE_ITEMS];
  for await (const slice of list.readSlices(() => limit, SMALL_LIST_ITEMS + 1)) {
    slices.push(slice.bytes);
    count += slice.count;
    size += slice.bytes.length;
    if (size >= LARGE_ANSWER_BYTES) return undefined;
    limit = itemsOfNextSlice(slice.bytes.length / slice.count);
    await nextTurn();
  }
  return serializeIfSmall(slices, count);
}

function serializeIfSmall(slices: readonly Buffer[], count: number): SerializedData | undefined {
  const isSmall = count <= SMALL_LIST_ITEMS && bytesOf(slices) <= LARGE_ANSWER_BYTES;
  return isSmall ? serializedList(count === 0 ? [] : slices, count) : undefined;
}

function itemsOfNextSlice(itemBytes: number): number {
  return Math.max(1, Math.min(SLICE_ITEMS_MAX, Math.floor(SLICE_BYTES / itemBytes)));
}

/**
 * A large list, once there is a slot for it and its first slice is read. `tag` is what it is known by; `onWhole` is told the list when all of it is read, if
 * that is small enough to be cached.
 */
export async function streamList(
  { store, orgId, connection }: ListReader,
  listOf: ListOf,
  tag: string | undefined,
  onWhole: (whole: SerializedData) => void,
): Promise<StreamedData> {
  const release = await largeAnswers.take(orgId, connection);
  const body = new Readable({ read: () => undefined });
  // A fault is told to the client by what sends the body; before that there is nobody to hear of it.
  body.on("error", () => undefined);
  const begun = Promise.withResolvers<void>();
  const reading = store.readOrgAtOnce(orgId, (org) => writeSlices(listOf(org), body, connection, begun.resolve));
  try {
    await Promise.race([begun.promise, reading]);
  } catch (error) {
    release();
    throw error;
  }
  const open = (end: ByteText): Readable => {
    reading.then(
      (start) => {
        body.push(end, "latin1");
        body.push(null);
        if (start !== undefined) onWhole({ start, nextCursor: undefined, resourceId: undefined, ...(tag && { tag }) });
      },
      (cause) => body.destroy(cause instanceof ClientGone ? cause : new BrokenOff("The list broke off.", { cause })),
    );
    return body;
  };
  return { open, release };
}

/** Returns all that was written, up to the request's id, if it is small enough to be cached. */
async function writeSlices(
  list: List<unknown>,
  body: Readable,
  connection: Duplex,
  onBegun: () => void,
): Promise<readonly Buffer[] | undefined> {
  let written: Buffer[] | undefined = [];
  let [count, size, limit] = [0, 0, FIRST_SLICE_ITEMS];
  const write = (bytes: Buffer) => {
    if (body.destroyed || connection.destroyed) throw new ClientGone();
    size += bytes.length;
    if (size > ENTRY_MAX_BYTES) written = undefined;
    written?.push(bytes);
    body.push(bytes);
  };
  write(LIST_OPENING);
  for await (const slice of list.readSlices(() => limit)) {
    write(count === 0 ? beginList(slice.bytes) : slice.bytes);
    onBegun();
    count += slice.count;
    limit = itemsOfNextSlice(slice.bytes.length / slice.count);
    await nextTurn();
  }
  // What was there a moment ago may be gone.
  if (count === 0) write(Buffer.from("["));
  write(endOfList(count));
  return written;
}

export async function readOnePage(
  { store, orgId, connection }: ListReader,
  page: PageRequest,
  listOf: ListOf,
  cursorOf: (next: Position) => string,
): Promise<SerializedData> {
  const read = async () => {
    const { items, next } = await listOf(store.org(orgId)).readPage(page);
    return serializeList(items, next === null ? null : cursorOf(next));
  };
  const small = await read();
  if (!isLarge(small)) return small;
  const release = await largeAnswers.take(orgId, connection);
  try {
    return { ...(await read()), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** A cached answer on its way to one more client. */
export function countIfLarge(cached: SerializedData, orgId: string, connection: Duplex): SerializedData {
  return isLarge(cached) ? { ...cached, release: largeAnswers.count(orgId, connection) } : cached;
}

function isLarge({ start }: SerializedData): boolean {
  return typeof start !== "string" && bytesOf(start) >= LARGE_ANSWER_BYTES;
}
