/** The verbs of Compliance: the log of requests and the audit log. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { RequestView } from "@lineup/api/dashboard/records";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { isIdOf } from "@lineup/api/ids";
import { DAY_MS } from "@lineup/api/tiers";
import { exportAuditCsv, listAuditEntries } from "../audit/audit-entries.ts";
import { findRequest, listRequests } from "../request-log/list-requests.ts";
import { isLogCursor, type LoggedRequest, timeOfId } from "../request-log/request-record.ts";
import { type ActionVerbs, exportInTurn, type MemberContext } from "./context.ts";

const PAGE_DEFAULT = 50;

export const LOG_VERBS = {
  listRequests: async (context, { query }) => {
    const { tools, orgId, visit } = context;
    const { cursor, limit = PAGE_DEFAULT, ...filters } = query;
    if (cursor !== undefined && !isLogCursor(cursor)) {
      const message = "is not one that was given out; begin again without it";
      throw new ActionError("VALIDATION_ERROR", `cursor ${message}.`, [{ field: "cursor", message }]);
    }
    const { requestLog } = tools;
    const { blocks, retentionDays } = requestLog;
    // What is older may still be there, until the next pruning.
    const from = Math.max(filters.from ?? 0, visit.now - retentionDays * DAY_MS);
    if (blocks === undefined) return { requests: [], nextCursor: null, searchedBackTo: from, retentionDays };
    if (cursor === undefined) await requestLog.catchUp();
    const page = await listRequests(blocks, orgId, { ...filters, from }, { below: cursor, limit });
    return {
      requests: await describeRequests(context, page.requests),
      nextCursor: page.nextBelow ?? null,
      searchedBackTo: page.nextBelow === undefined ? from : Math.max(from, timeOfId(page.nextBelow)),
      retentionDays,
    };
  },

  getRequest: async (context, { path: { requestId } }) => {
    const { requestLog } = context.tools;
    const { blocks, retentionDays } = requestLog;
    await requestLog.catchUp();
    const found = blocks && isIdOf("req", requestId) ? await findRequest(blocks, context.orgId, requestId) : undefined;
    const [described] = found === undefined ? [] : await describeRequests(context, [found]);
    if (described !== undefined) return described;
    throw new ActionError(
      "NOT_FOUND",
      retentionDays === 0
        ? "This server keeps no requests. Ask its operator to set LINEUP_REQUEST_LOG_DAYS."
        : `No request by this organization's keys has this id, or it is older than ${retentionDays} days. Check that it was copied whole.`,
    );
  },

  listAudit: ({ tools, orgId }, { query }) => listAuditEntries(tools.store, orgId, query),

  exportAudit: ({ tools, orgId, origin, visit }, { body }) =>
    exportInTurn(orgId, () => exportAuditCsv(tools.store, orgId, body, origin, visit.now)),
} satisfies Partial<ActionVerbs>;

const ROUTES = new Map<string, string>(ENDPOINTS.map(({ name, method, path }) => [name, `${method} ${path}`]));

/** With the keys' names of today. */
async function describeRequests(context: MemberContext, requests: readonly LoggedRequest[]): Promise<RequestView[]> {
  const keys = await findKeys(context, [...new Set(requests.map(({ keyId }) => keyId))]);
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
    keyShownPrefix: keys.get(request.keyId)?.shown_prefix ?? null,
    address: request.address,
    userAgent: request.userAgent,
  }));
}

async function findKeys({ tools, orgId }: MemberContext, keyIds: readonly string[]) {
  if (keyIds.length === 0) return new Map<string, { name: string; shown_prefix: string }>();
  const rows = await tools.store.operator
    .selectFrom("api_keys")
    .select(["id", "name", "shown_prefix"])
    .where("org_id", "=", orgId)
    .where("id", "in", keyIds)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
