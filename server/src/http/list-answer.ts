/**
 * Lists, whole or in pages. A whole list is read and serialized slice by slice, with other requests served in between, so
 * that a list of a hundred thousand holds up nobody and never stands in memory as objects all at once. More than one slice
 * is read from one state of the store: the answer is of one moment, whatever is written meanwhile.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListPage, PageRequest, Position } from "../store/list-page.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { type SerializedData, serializeList } from "./answer.ts";

/** Some ten milliseconds of work. */
const SLICE_ITEMS = 1_000;
/** In an order of the client's choice every slice sorts anew, so there are to be few of them. */
const SORTED_SLICE_ITEMS = 20_000;

/** Runs a list's verb on a handle, for one page. */
export type ReadPage = (org: OrgStore, page: PageRequest) => Promise<ListPage<unknown>>;

export async function readWholeList(
  store: Store,
  orgId: string,
  isSorted: boolean,
  readPage: ReadPage,
): Promise<SerializedData> {
  const limit = isSorted ? SORTED_SLICE_ITEMS : SLICE_ITEMS;
  const { items, next } = await readPage(store.org(orgId), { limit, after: undefined });
  if (next === null) return serializeList(items, undefined);
  return store.readOrgAtOnce(orgId, (org) => readSlices(org, limit, readPage));
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
