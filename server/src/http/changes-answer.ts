/** `GET /changes`: the changes that the key may read, page by page. What a key may see differs from key to key, so nothing of it is cached. */
import { setImmediate as breathe } from "node:timers/promises";
import { CHANGE_TYPES, type ChangeType, permissionToRead } from "@lineup/api/change-types";
import { CHANGES_DEFAULT, type Change, type listChanges } from "@lineup/api/changes";
import { BASE_PATH } from "@lineup/api/endpoint";
import { parameterError } from "@lineup/api/errors";
import { LIMIT_MAX, type ParametersOf } from "@lineup/api/parameters";
import { DAY_MS } from "@lineup/api/tiers";
import * as z from "zod";
import type { Holder } from "../access/authenticator.ts";
import { findNextMoment, findSeqBefore, readChanges, readRowHash } from "../events/change-rows.ts";
import type { OrgStore } from "../store/org-store.ts";
import { type Answer, serializeList, successAnswer } from "./answer.ts";
import { type Admitted, type Call, type Pipeline, routeOf } from "./endpoint-data.ts";
import { openCursor, parseQuery, sealCursor, splitQuery, wrongCursor } from "./query.ts";
import { missingPermission } from "./refusals.ts";

type Query = ParametersOf<(typeof listChanges)["query"]>;

/** Where a page begins, and what is asked for. */
interface Place {
  /** All changes up to this one have been told. */
  readonly after: number;
  readonly limit: number;
  readonly types: readonly ChangeType[] | undefined;
}

export async function answerChanges(pipeline: Pipeline, call: Call, admitted: Admitted): Promise<Answer> {
  const { endpoint, holder, now } = admitted;
  const query = parseQuery(endpoint.query, splitQuery(call.queryString), routeOf(endpoint)) as Query;
  const org = pipeline.store.org(holder.orgId);
  const place = await findPlace(org, query, now, now - pipeline.changesDays * DAY_MS);
  const types = requireReadable(holder, place.types);
  const { changes, lookedTo, end } = await readPage(org, place, types);
  await pipeline.settledEnds?.wait(holder.orgId, lookedTo, end);
  const rowHash = (await readRowHash(org, lookedTo)) ?? "";
  const nextCursor = sealCursor(["changes", holder.orgId], [lookedTo, rowHash, place.limit, place.types ?? null]);
  const link = `<${BASE_PATH}${endpoint.path}?cursor=${nextCursor}>; rel="next"`;
  return successAnswer(200, serializeList(changes, nextCursor), call.requestId, now, ["Link", link]);
}

/** A page is full, or ends where the feed does now. However rare what is asked for, no query looks at more than a stretch. */
async function readPage(org: OrgStore, { after, limit }: Place, types: readonly ChangeType[]) {
  const changes: Change[] = [];
  for (let lookedTo = after; ; ) {
    const found = await readChanges(org, lookedTo, types, limit - changes.length);
    changes.push(...found.changes);
    lookedTo = found.lookedTo;
    if (changes.length >= limit || lookedTo >= found.end) return { changes, lookedTo, end: found.end };
    await breathe();
  }
}

/** A client whose clock is ahead by less means now. */
const CLOCKS_APART_MS = 60_000;

/** `keptSince` is the moment from which on changes are kept for those who follow them. */
async function findPlace(org: OrgStore, query: Query, now: number, keptSince: number): Promise<Place> {
  const own = query.cursor === undefined ? undefined : decodeCursor(org.orgId, query.cursor);
  const limit = query.limit ?? own?.limit ?? CHANGES_DEFAULT;
  if (own === undefined) {
    if (query.since === undefined) return { after: (await org.readAuditEnd()).count, limit, types: query.type };
    if (query.since > now + CLOCKS_APART_MS)
      throw wrongSince("lies in the future; send a moment that has come, or leave it out to begin with now");
    if (query.since < keptSince) throw wrongSince(`lies before what is kept; ${READ_AGAIN}`);
    return { after: await findSeqBefore(org, query.since), limit, types: query.type };
  }
  if (query.since !== undefined) throw wrongSince("is where a walk begins, and the cursor goes on; send one of them");
  if (query.type !== undefined && String(query.type.toSorted()) !== String(own.types?.toSorted())) {
    throw wrongCursor("belongs to other types; repeat those of its first page, or send the cursor alone");
  }
  if ((await readRowHash(org, own.after)) !== own.rowHash)
    throw wrongCursor(`is of before a backup was restored; ${READ_AGAIN}`);
  const missedAt = await findNextMoment(org, own.after);
  if (missedAt !== undefined && missedAt < keptSince) throw wrongCursor(`is older than what is kept; ${READ_AGAIN}`);
  return { after: own.after, limit, types: own.types };
}

const READ_AGAIN = "read the lists again, and follow from the cursor of a call without one";

/** Those asked for, or all that the key may read. One that it may not read would never come, so that is said. */
function requireReadable({ permissions }: Holder, asked: Place["types"]): readonly ChangeType[] {
  const isReadable = (type: ChangeType) => permissions.has(permissionToRead(type));
  const closed = asked?.find((type) => !isReadable(type));
  if (closed !== undefined) throw missingPermission(permissionToRead(closed));
  return asked ?? CHANGE_TYPES.filter(isReadable);
}

/**
 * What a cursor of the feed holds: the number of the row up to which all was told and that row's hash, for a store that was restored gives the
 * number to another; limit, and types.
 */
const cursorParts = z.tuple([
  z.int().min(0),
  z.string(),
  z.int().min(1).max(LIMIT_MAX),
  z.array(z.enum(CHANGE_TYPES as [ChangeType, ...ChangeType[]])).nullable(),
]);

function decodeCursor(orgId: string, cursor: string): Place & { readonly rowHash: string } {
  const foreign = "was not given out by this feed; start again without it";
  const [after, rowHash, limit, types] = openCursor(cursor, cursorParts, ["changes", orgId], foreign);
  return { after, rowHash, limit, types: types ?? undefined };
}

function wrongSince(message: string) {
  return parameterError([{ field: "since", message }]);
}
