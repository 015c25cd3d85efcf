/** The verbs of Compliance › Audit. */
import { TooManyTries } from "@lineup/api/dashboard/action";
import { listAuditEntries } from "../audit/audit-entries.ts";
import { exportAuditCsv } from "../audit/export-audit.ts";
import type { ActionVerb } from "./context.ts";

export const listAudit: ActionVerb<"listAudit"> = ({ tools, orgId }, { query }) => {
  const { cursor, limit, ...filters } = query;
  return listAuditEntries(tools.store, orgId, filters, { cursor, limit });
};

/** Each holds a whole file in memory. */
const EXPORTS_AT_ONCE = 2;
const EXPORT_WAIT_MS = 5_000;
const exporting = new Set<string>();

export const exportAudit: ActionVerb<"exportAudit"> = async ({ tools, orgId, origin, visit }, { body }) => {
  if (exporting.has(orgId) || exporting.size >= EXPORTS_AT_ONCE) {
    throw new TooManyTries("Another export is being made. Try again in a few seconds.", EXPORT_WAIT_MS);
  }
  exporting.add(orgId);
  try {
    return await exportAuditCsv(tools.store, orgId, body, origin, visit.now);
  } finally {
    exporting.delete(orgId);
  }
};
