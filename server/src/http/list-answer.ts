/**
 * Lists, whole or in pages. A whole list is read slice by slice, as JSON, with other requests served in between, so
 * that a list of a hundred thousand holds up nobody and never stands in memory as objects. More than one slice
 * is read from one state of the store, or under one revision: the answer is of one moment, whatever is written meanwhile. What is
 * large is sent from the first slice on.
 *
 * What turns out to be large, by its items or its bytes, is dropped and read again once it has a place among the large
 * answers: while it waits it takes up nothing.
 */
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { freeBytes } from "../own-bytes.ts";
import type { JsonSlice, List, PageRequest, Position } from "../store/list-page.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { beginList, bytesOf, OPENING_BYTES, type SerializedData, serializedList, serializeList } from "./answer.ts";
import { ComingList } from "./coming-list.ts";
import { promiseTag } from "./entity-tag.ts";
import { ClientGone } from "./json-body.ts";
import { type GiveBack, holdFor, LARGE_ANSWER_BYTES, largeAnswers } from "./large-answers.ts";

/** What has more is large, whatever its size. */
const SMALL_LIST_ITEMS = 1_000;
/** A slice is to be one to three milliseconds of work. How many items that are depends on their size, which the last slice tells. */
const SLICE_BYTES = 96 * 1024;
/** Before that is known: few enough to be a few slices' worth even where each is as large as may be. */
const FIRST_SLICE_ITEMS = 50;
const SLICE_ITEMS_MAX = 1_000;

const EMPTY_LIST = Buffer.from("[]");
const LIST_END = Buffer.from("]");
const NOTHING_YET: readonly Buffer[] = [];

/** The list that a verb makes on a handle. */
export type ListOf = (org: OrgStore) => List<unknown>;

/** Whose list it is, over which connection it goes, and in which ways it may. */
export interface ListReader {
  readonly store: Store;
  readonly orgId: string;
  readonly connection: Duplex;
  /** Whether it may be sent while it is read: not where its length or its tag is wanted first. */
  readonly canStream: boolean;
  /** Where time alone does not change the list: what was asked, under which revision, and who keeps the answer. */
  readonly question: Question | undefined;
}

export interface Question {
  readonly target: string;
  readonly revision: number;
  keep(answer: SerializedData): unknown;
}

export async function readWholeList(reader: ListReader, listOf: ListOf): Promise<SerializedData> {
  const { store, orgId, connection } = reader;
  const earlier = findUnderWay(reader);
  if (earlier !== undefined) return followList(reader, earlier);
  const small = await readIfSmall(store, orgId, listOf);
  if (small !== undefined) return small;
  // The last look was a slice's worth of work by itself.
  await nextTurn();
  const meanwhile = findUnderWay(reader);
  if (meanwhile !== undefined) return followList(reader, meanwhile);
  const giveBack = await largeAnswers.takeForMany(orgId, connection);
  const begun = findUnderWay(reader);
  if (begun === undefined) return followList(reader, startReading(reader, listOf, giveBack));
  // It has a place already.
  giveBack();
  return followList(reader, begun);
}

/** The whole list, unless it turns out to be large. No query of this is to read more than a slice or two, which the first few items tell. */
async function readIfSmall(store: Store, orgId: string, listOf: ListOf): Promise<SerializedData | undefined> {
  const list = listOf(store.org(orgId));
  const first = await list.readBeginning(FIRST_SLICE_ITEMS);
  if (first.count < FIRST_SLICE_ITEMS) return smallList(closed([first]), first.count);
  const itemBytes = first.bytes.length / first.count;
  freeSlice(first);
  const count = await list.countUpTo(SMALL_LIST_ITEMS + 1);
  if (count > SMALL_LIST_ITEMS) return undefined;
  await nextTurn();
  const expectedBytes = itemBytes * count;
  if (expectedBytes > 4 * SLICE_BYTES) return gatherOfOneMoment(store, orgId, listOf);
  const beginning = await list.readBeginning(SMALL_LIST_ITEMS + 1);
  return smallList(closed([beginning]), beginning.count);
}

/** Every write gives the organization a new revision; so what was read under one is of one moment, and need not wait for a state of the store. */
async function gatherOfOneMoment(store: Store, orgId: string, listOf: ListOf): Promise<SerializedData | undefined> {
  const org = store.org(orgId);
  const revision = await org.readRevision();
  const gathered = await gatherIfSmall(listOf(org));
  if (gathered === undefined || (await org.readRevision()) === revision) return gathered;
  return store.readOrgAtOnce(orgId, (handle) => gatherIfSmall(listOf(handle)));
}

async function gatherIfSmall(list: List<unknown>): Promise<SerializedData | undefined> {
  const slices: JsonSlice[] = [];
  let [count, size, limit] = [0, 0, FIRST_SLICE_ITEMS];
  for await (const slice of list.readSlices(() => limit, SMALL_LIST_ITEMS + 1)) {
    slices.push(slice);
    count += slice.count;
    size += slice.bytes.length;
    if (size >= LARGE_ANSWER_BYTES) return undefined;
    limit = itemsOfNextSlice(slice.bytes.length / slice.count);
    await nextTurn();
  }
  return smallList(closed(slices), count);
}

/** All of them as one, with the bracket that ends a list; none of them is good for anything else afterwards. */
function closed(slices: readonly JsonSlice[]): Buffer {
  const [first, ...more] = slices;
  if (first?.closed !== undefined && more.length === 0) return first.closed;
  const whole = Buffer.concat([...slices.map(({ bytes }) => bytes), LIST_END]);
  slices.forEach(freeSlice);
  return whole;
}

function freeSlice({ bytes, closed }: JsonSlice): void {
  freeBytes(closed ?? bytes);
}

function smallList(items: Buffer, count: number): SerializedData | undefined {
  const isSmall = count <= SMALL_LIST_ITEMS && items.length <= LARGE_ANSWER_BYTES;
  return isSmall ? serializedList(items, count) : undefined;
}

export async function readOnePage(
  reader: ListReader,
  page: PageRequest,
  listOf: ListOf,
  cursorOf: (next: Position) => string,
): Promise<SerializedData> {
  const { store, orgId, connection } = reader;
  const read = async () => {
    const { items, next } = await listOf(store.org(orgId)).readPage(page);
    return serializeList(items, next === null ? null : cursorOf(next));
  };
  const small = await read();
  if (!isLarge(small)) return small;
  const onClosed = await largeAnswers.take(orgId, connection);
  try {
    return { ...(await read()), onClosed };
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

/**
 * Lists that are being read, by what was asked of which store. Whoever asks the same under the same revision need not have it read
 * again.
 */
const underWay = new WeakMap<Store, Map<string, ComingList>>();

function underWayIn(store: Store): Map<string, ComingList> {
  const known = underWay.get(store);
  if (known !== undefined) return known;
  const none = new Map<string, ComingList>();
  underWay.set(store, none);
  return none;
}

function keyOf({ orgId, question }: ListReader): string | undefined {
  return question && `${orgId} ${question.revision} ${question.target}`;
}

function findUnderWay(reader: ListReader): ComingList | undefined {
  const key = keyOf(reader);
  const coming = key === undefined ? undefined : underWayIn(reader.store).get(key);
  return coming?.isAbandoned ? undefined : coming;
}

/** As far as it is there, or whole; it is no longer waited for when the response is closed. */
async function followList(reader: ListReader, coming: ComingList): Promise<SerializedData> {
  const onClosed = holdFor(reader.connection, coming.follow());
  try {
    const rest = { nextCursor: undefined, resourceId: undefined, onClosed };
    if (!reader.canStream) return { ...(await coming.whole), encodings: coming.encodings, ...rest };
    await coming.begun();
    return { json: NOTHING_YET, count: 0, tag: coming.tag, coming, ...rest };
  } catch (error) {
    onClosed();
    throw error;
  }
}

function startReading(reader: ListReader, listOf: ListOf, giveBack: GiveBack): ComingList {
  const { store, orgId, question } = reader;
  const coming = new ComingList(promiseTag(), OPENING_BYTES, giveBack);
  const [key, ofStore] = [keyOf(reader), underWayIn(store)];
  if (key !== undefined) ofStore.set(key, coming);
  store
    .readOrgAtOnce(orgId, (org) => readSlices(listOf(org), coming))
    .then(
      () => {
        const whole = coming.finish();
        question?.keep({ ...whole, nextCursor: undefined, resourceId: undefined });
      },
      (error) => coming.fail(error),
    )
    .finally(() => {
      if (key !== undefined && ofStore.get(key) === coming) ofStore.delete(key);
    });
  return coming;
}

async function readSlices(list: List<unknown>, coming: ComingList): Promise<void> {
  let [isFirst, limit] = [true, FIRST_SLICE_ITEMS];
  for await (const { bytes, count } of list.readSlices(() => limit)) {
    coming.add(isFirst ? beginList(bytes) : bytes, count);
    isFirst = false;
    limit = itemsOfNextSlice(bytes.length / count);
    await nextTurn();
    if (coming.isAbandoned) throw new ClientGone();
  }
  // What was there a moment ago may be gone.
  coming.add(isFirst ? EMPTY_LIST : LIST_END, 0);
}

function itemsOfNextSlice(itemBytes: number): number {
  return Math.max(1, Math.min(SLICE_ITEMS_MAX, Math.floor(SLICE_BYTES / itemBytes)));
}
