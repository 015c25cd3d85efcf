/**
 * Lists, whole or in pages. A whole list is read and serialized slice by slice, with other requests served in between, so
 * that a list of a hundred thousand holds up nobody and never stands in memory as objects all at once. More than one slice
 * is read from one state of the store: the answer is of one moment, whatever is written meanwhile.
 *
 * What turns out to be large, by its slices or its bytes, is dropped and read again once it has a place among the large
 * answers: while it waits it takes up nothing.
 */
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListPage, PageRequest, Position } from "../store/list-page.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { bytesOf, type SerializedData, serializeList } from "./answer.ts";
import { LARGE_ANSWER_BYTES, largeAnswers } from "./large-answers.ts";

/** Some ten milliseconds of work. */
const SLICE_ITEMS = 1_000;
/** In an order of the client's choice every slice sorts anew, so there are to be few of them. */
const SORTED_SLICE_ITEMS = 20_000;

/** Runs a list's verb on a handle, for one page. */
export type ReadPage = (org: OrgStore, page: PageRequest) => Promise<ListPage<unknown>>;

/** Whose list it is, and over which connection it goes. */
export interface ListReader {
  readonly store: Store;
  readonly orgId: string;
  readonly connection: Duplex;
}

export function readWholeList(reader: ListReader, isSorted: boolean, readPage: ReadPage): Promise<SerializedData> {
  const { store, orgId } = reader;
  const readFirst = async () => {
    const { items, next } = await readPage(store.org(orgId), { limit: SLICE_ITEMS, after: undefined });
    return next === null ? serializeList(items, undefined) : undefined;
  };
  const limit = isSorted ? SORTED_SLICE_ITEMS : SLICE_ITEMS;
  return readInPlace(reader, readFirst, () => store.readOrgAtOnce(orgId, (org) => readSlices(org, limit, readPage)));
}

export function readOnePage(
  reader: ListReader,
  page: PageRequest,
  readPage: ReadPage,
  cursorOf: (next: Position) => string,
): Promise<SerializedData> {
  const read = async () => {
    const { items, next } = await readPage(reader.store.org(reader.orgId), page);
    return serializeList(items, next === null ? null : cursorOf(next));
  };
  return readInPlace(reader, read, read);
}

/** `readSmall` gives undefined when it has seen that there is more. */
async function readInPlace(
  { orgId, connection }: ListReader,
  readSmall: () => Promise<SerializedData | undefined>,
  readAll: () => Promise<SerializedData>,
): Promise<SerializedData> {
  const small = await readSmall();
  if (small !== undefined && !isLarge(small)) return small;
  const onClosed = await largeAnswers.take(orgId, connection);
  try {
    return { ...(await readAll()), onClosed };
  } catch (error) {
    onClosed();
    throw error;
  }
}

/** A kept answer on its way to one more client. */
export function countIfLarge(kept: SerializedData, orgId: string, connection: Duplex): SerializedData {
  return isLarge(kept) ? { ...kept, onClosed: largeAnswers.count(orgId, connection) } : kept;
}

function isLarge(data: SerializedData): boolean {
  // A text is short: what is not is kept as bytes.
  return typeof data.json !== "string" && bytesOf(data) >= LARGE_ANSWER_BYTES;
}

async function readSlices(org: OrgStore, limit: number, readPage: ReadPage): Promise<SerializedData> {
  const json: Buffer[] = [];
  let count = 0;
  let after: Position | undefined;
  do {
    const { items, next } = await readPage(org, { limit, after });
    // A slice is a list of its own; without its brackets it goes on where the one before ended.
    json.push(Buffer.from((json.length === 0 ? "[" : ",") + JSON.stringify(items).slice(1, -1)));
    count += items.length;
    after = next ?? undefined;
    await nextTurn();
  } while (after !== undefined);
  json.push(Buffer.from("]"));
  return { json, count, nextCursor: undefined, resourceId: undefined };
}
