/** The verbs of Compliance › Audit. */
import { listAuditEntries } from "../audit/audit-entries.ts";
import { exportAuditCsv } from "../audit/export-audit.ts";
import type { ActionVerb } from "./context.ts";

export const listAudit: ActionVerb<"listAudit"> = ({ tools, orgId }, { query }) => {
  const { cursor, limit, ...filters } = query;
  return listAuditEntries(tools.store, orgId, filters, { cursor, limit });
};

export const exportAudit: ActionVerb<"exportAudit"> = ({ tools, orgId, origin, visit }, { body }) =>
  exportAuditCsv(tools.store, orgId, body, origin, visit.now);
