/** Compliance › Requests. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { RequestView } from "@lineup/api/dashboard/records";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { DAY_MS } from "@lineup/api/tiers";
import { listKeys } from "../access/key-admin.ts";
import { timeOfId } from "../request-log/id-times.ts";
import { findRequest, listRequests as listIn } from "../request-log/list-requests.ts";
import type { LoggedRequest } from "../request-log/request-record.ts";
import type { ActionVerb, MemberContext } from "./context.ts";

const PAGE_DEFAULT = 50;
/** An id, or the text just above one. */
const CURSOR = /^req_[0-9a-hjkmnp-tv-z]{26}~?$/;

export const listRequests: ActionVerb<"listRequests"> = async (context, { query }) => {
  const { tools, orgId, visit } = context;
  const { cursor, limit = PAGE_DEFAULT, ...filters } = query;
  if (cursor !== undefined && !CURSOR.test(cursor)) {
    const message = "is not one that was given out; begin again without it";
    throw new ActionError("VALIDATION_ERROR", `cursor ${message}.`, [{ field: "cursor", message }]);
  }
  const { blocks, keptDays } = tools.requestLog;
  const wholeLog = visit.now - keptDays * DAY_MS;
  if (blocks === undefined) return { requests: [], nextCursor: null, searchedBackTo: wholeLog, keptDays };
  const page = await listIn(blocks, orgId, filters, { below: cursor, limit });
  return {
    requests: await describeRequests(context, page.requests),
    nextCursor: page.nextBelow ?? null,
    searchedBackTo: page.nextBelow === undefined ? wholeLog : timeOfId(page.nextBelow),
    keptDays,
  };
};

export const getRequest: ActionVerb<"getRequest"> = async (context, { path }) => {
  const { blocks, keptDays } = context.tools.requestLog;
  const isId = CURSOR.test(path.requestId) && !path.requestId.endsWith("~");
  const found = blocks && isId ? await findRequest(blocks, context.orgId, path.requestId) : undefined;
  const [described] = found === undefined ? [] : await describeRequests(context, [found]);
  if (described !== undefined) return described;
  throw new ActionError(
    "NOT_FOUND",
    `No request of this organization's keys has this id, or none of the last ${keptDays} days. Check that it was copied whole.`,
  );
};

const ROUTES = new Map<string, string>(ENDPOINTS.map(({ name, method, path }) => [name, `${method} ${path}`]));

/** With the keys' names of today. */
async function describeRequests(
  { tools, orgId }: MemberContext,
  requests: readonly LoggedRequest[],
): Promise<RequestView[]> {
  const keys = new Map((await listKeys(tools.store, orgId)).map((key) => [key.id, key]));
  return requests.map(({ endpoint, durationUs, ...request }) => ({
    id: request.id,
    at: request.at,
    method: request.method,
    target: request.target,
    route: ROUTES.get(endpoint) ?? null,
    status: request.status,
    code: request.code,
    durationMs: durationUs / 1_000,
    keyId: request.keyId,
    keyName: keys.get(request.keyId)?.name ?? null,
    keyShownPrefix: keys.get(request.keyId)?.shownPrefix ?? null,
    address: request.address,
    userAgent: request.userAgent,
  }));
}
