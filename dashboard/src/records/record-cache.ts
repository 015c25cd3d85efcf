/**
 * The organization's records in the browser: all of a kind, read page by page when a page first needs them, and kept current by asking every
 * second what has changed. Sorting, filtering and finding happen here, so that they take no time.
 *
 * Nothing is missed: the sequence is known before the first page of a list is read, when the last one is there what changed meanwhile is
 * read once more, and each set remembers how far it is, so that the next question begins with the one furthest behind. A record that is
 * told twice is only put there twice. Who was away so long that too much has changed reads the lists again.
 */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { callAction } from "../client/call-action.ts";
import type { RequestFailure } from "../client/request-failure.ts";
import { serverNow } from "../client/server-clock.ts";
import { forgetConflicts } from "./conflicts.ts";
import { forgetTurns } from "./own-turns.ts";
import { type AnyRecord, KINDS, type Kind, LIST_ACTIONS, type RecordTypes } from "./record-kinds.ts";
import { forgetLayers } from "./shown-layers.ts";

const FOLLOW_EVERY_MS = 1_000;
const UNUSED_MS = 10 * 60_000;
/** Small, so that the first rows are there at once. */
const FIRST_PAGE = "100";
const PAGE = "500";
/** Of events those around today are shown first: most of the others are long over. */
const NEAR_MS = 45 * 86_400_000;
/** A list is shown anew when it has grown this many times: whatever a page makes of it is made again each time. */
const SHOWN_GROWTH = 2;

export interface RecordSet<K extends Kind> {
  readonly byId: ReadonlyMap<string, RecordTypes[K]>;
  /** Whether all of them are here. */
  readonly isComplete: boolean;
  /** Every change up to this one is in it, once it is complete. */
  readonly sequence: number;
}

type Followed = ActionResult<"followRecords">;

export const recordsKey = <K extends Kind>(orgId: string, kind: K) => ["records", { path: { orgId } }, kind] as const;

/** The query of what has changed; its data is the sequence. */
export function followingQuery(client: QueryClient, orgId: string) {
  const queryKey = ["following", { path: { orgId } }] as const;
  return queryOptions<number, RequestFailure>({
    queryKey,
    queryFn: async ({ signal }) => {
      let after = findFurthestBehind(client, orgId, client.getQueryData(queryKey));
      for (;;) {
        const followed = await follow(orgId, after, signal);
        if (followed.isTooFar) readListsAgain(client, orgId);
        else for (const kind of KINDS) apply(client, orgId, kind, followed);
        if (!followed.isMore) return followed.sequence;
        after = followed.sequence;
      }
    },
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
    refetchInterval: FOLLOW_EVERY_MS,
  });
}

function follow(orgId: string, after: number | undefined, signal?: AbortSignal): Promise<Followed> {
  const query = after === undefined ? {} : { after: String(after) };
  return callAction("followRecords", { path: { orgId }, query }, signal);
}

/** Those that a page shows; the others, when one does. What is being read already is not begun again. */
function readListsAgain(client: QueryClient, orgId: string): void {
  const queryKey = ["records", { path: { orgId } }];
  client.removeQueries({ queryKey, type: "inactive" });
  void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}

/** The set that changes can be put into: one that is being read, or is to be read again, learns of them by that. */
function findCurrent<K extends Kind>(client: QueryClient, orgId: string, kind: K): RecordSet<K> | undefined {
  const state = client.getQueryState<RecordSet<K>>(recordsKey(orgId, kind));
  if (state === undefined || state.isInvalidated || state.fetchStatus !== "idle") return undefined;
  return state.data?.isComplete === true ? state.data : undefined;
}

function findFurthestBehind(client: QueryClient, orgId: string, known: number | undefined): number | undefined {
  const behind = KINDS.flatMap((kind) => findCurrent(client, orgId, kind)?.sequence ?? []);
  return known === undefined && behind.length === 0
    ? undefined
    : Math.min(known ?? Number.POSITIVE_INFINITY, ...behind);
}

/** Asks at once what has changed, such as by a write of one's own. What was asked before that does not count. */
export async function catchUp(client: QueryClient, orgId: string): Promise<void> {
  const { refetchInterval: _, ...query } = followingQuery(client, orgId);
  const ask = () => client.fetchQuery(query).catch(() => undefined);
  if (client.isFetching({ queryKey: query.queryKey }) > 0) await ask();
  await ask();
}

/** The query of all records of a kind. */
export function recordsQuery<K extends Kind>(client: QueryClient, orgId: string, kind: K) {
  const queryKey = recordsKey(orgId, kind);
  return queryOptions<RecordSet<K>, RequestFailure>({
    queryKey,
    queryFn: () => loadAll(client, orgId, kind),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: UNUSED_MS,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
}

/** Begins to read what a page is going to show, while its script comes. */
export function beginReading(client: QueryClient, orgId: string, kinds: readonly Kind[]): void {
  for (const kind of kinds) void client.prefetchQuery(recordsQuery(client, orgId, kind));
}

/**
 * Goes on when its page is left, for the next page may count on it already; ends when the records are forgotten. `known` is a sequence from
 * before, however old: what changed since is read at the end.
 */
async function loadAll<K extends Kind>(
  client: QueryClient,
  orgId: string,
  kind: K,
  known = client.getQueryData(followingQuery(client, orgId).queryKey),
): Promise<RecordSet<K>> {
  const queryKey = recordsKey(orgId, kind);
  const findQuery = () => client.getQueryCache().find({ queryKey });
  const ownQuery = findQuery();
  const sequence = known ?? (await follow(orgId, undefined)).sequence;
  const isFirst = client.getQueryData(queryKey) === undefined;
  const byId = new Map<string, RecordTypes[K]>();
  const near = new Map<string, RecordTypes[K]>();
  const read = async (query: PageQuery) => {
    const page = await readPage(orgId, kind, query);
    if (findQuery() !== ownQuery) throw new Error("Nobody waits for these records any more.");
    return page;
  };
  const show = () => {
    const soFar = new Map([...near, ...byId]);
    client.setQueryData<RecordSet<K>>(queryKey, { byId: soFar, isComplete: false, sequence });
  };
  if (isFirst && kind === "event") {
    const now = serverNow();
    const { items } = await read({ limit: PAGE, from: String(now - NEAR_MS), to: String(now + NEAR_MS) });
    for (const record of items) near.set(record.id, record);
    show();
  }
  for (let cursor: string | undefined, shown = near.size; ; ) {
    const { items, nextCursor } = await read({
      limit: cursor === undefined && near.size === 0 ? FIRST_PAGE : PAGE,
      cursor,
    });
    for (const record of items) byId.set(record.id, record);
    if (nextCursor === null) break;
    cursor = nextCursor;
    if (!isFirst || byId.size < shown * SHOWN_GROWTH) continue;
    shown = byId.size;
    show();
  }
  for (let set: RecordSet<K> = { byId, isComplete: true, sequence }; ; ) {
    const followed = await follow(orgId, set.sequence);
    if (followed.isTooFar) return loadAll(client, orgId, kind, followed.sequence);
    set = patch(set, kind, followed);
    if (!followed.isMore) return set;
  }
}

interface Page<K extends Kind> {
  readonly items: readonly RecordTypes[K][];
  readonly nextCursor: string | null;
}

interface PageQuery {
  readonly limit: string;
  readonly cursor?: string | undefined;
  readonly from?: string;
  readonly to?: string;
}

function readPage<K extends Kind>(orgId: string, kind: K, query: PageQuery): Promise<Page<K>> {
  const name: (typeof LIST_ACTIONS)[Kind] = LIST_ACTIONS[kind];
  // In the order of ids, so that nothing is passed over that is moved or deleted between two pages. Without a beginning, only events are listed that are not over.
  const whole = { sort: "id", ...(kind === "event" && { from: "0" }), ...query };
  return callAction(name, { path: { orgId }, query: whole }) as Promise<unknown> as Promise<Page<K>>;
}

function apply<K extends Kind>(client: QueryClient, orgId: string, kind: K, followed: Followed): void {
  const set = findCurrent(client, orgId, kind);
  if (set !== undefined) client.setQueryData<RecordSet<K>>(recordsKey(orgId, kind), patch(set, kind, followed));
}

/** The same map where nothing of the kind has changed. */
function patch<K extends Kind>(set: RecordSet<K>, kind: K, { records, deleted, sequence }: Followed): RecordSet<K> {
  const changed = records[kind] as unknown as readonly RecordTypes[K][];
  const gone = deleted.filter((one) => one.kind === kind);
  if (sequence === set.sequence) return set;
  if (changed.length === 0 && gone.length === 0) return { ...set, sequence };
  const byId = new Map(set.byId);
  for (const { id } of [...changed, ...gone]) rememberPast(kind, byId.get(id));
  for (const record of changed) {
    if (isHeld(record)) byId.set(record.id, record);
    else byId.delete(record.id);
  }
  for (const { id } of gone) byId.delete(id);
  return { ...set, byId, sequence };
}

const PAST_MAX = 500;
/** Versions that are no longer current. Somebody may have one open, and want to compare it with what is. */
const past: { readonly kind: Kind; readonly record: AnyRecord }[] = [];

/** For the next page that needs it. */
export function forgetRecords(): void {
  past.length = 0;
  forgetConflicts();
  forgetTurns();
  forgetLayers();
}

function rememberPast(kind: Kind, record: AnyRecord | undefined): void {
  if (record !== undefined) past.push({ kind, record });
  if (past.length > PAST_MAX) past.shift();
}

/** A record of the kind as it is, or as it was a while ago. */
export function findVersion(
  client: QueryClient,
  orgId: string,
  kind: Kind,
  isWanted: (record: AnyRecord) => boolean,
): AnyRecord | undefined {
  const set = client.getQueryData<RecordSet<Kind>>(recordsKey(orgId, kind));
  const before = past.find((one) => one.kind === kind && isWanted(one.record))?.record;
  return before ?? [...(set?.byId.values() ?? [])].find(isWanted);
}

/** Of assignments, those that are open. */
function isHeld(record: { readonly id: string; readonly leftAt?: number | null }): boolean {
  return record.leftAt === undefined || record.leftAt === null;
}
