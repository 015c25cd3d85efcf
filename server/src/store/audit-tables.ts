/** The tables of what was done: the audit log with its ends and seals, and how much each key is used. */
import { addColumns, createTables, type Dialect, defineTable, type RowOf, type RowsOf } from "./record-ddl.ts";

/** Who did what to what, in the transaction that did it. Each row's hash covers the row and the hash before it. */
const audit = defineTable({
  name: "audit",
  keptBy: "row",
  rules: ["PRIMARY KEY (org_id, seq)"],
  indexes: {
    audit_by_target: "(org_id, target_id, seq)",
    audit_beginnings: "(org_id, note) WHERE action IN ('audit.began', 'organization.created')",
  },
  columns: {
    org_id: "text NOT NULL",
    /** 1, 2, 3 … without a gap, in each organization. */
    seq: "integer NOT NULL CHECK (seq >= 1)",
    at: "integer NOT NULL",
    actor_kind: "text NOT NULL CHECK (actor_kind IN ('user', 'key', 'command', 'server'))",
    actor_id: "text",
    actor_name: "text NOT NULL",
    address: "text",
    request_id: "text",
    /** What was done, such as `key.revoked`. */
    action: "text NOT NULL",
    target_kind: "text NOT NULL",
    target_id: "text NOT NULL",
    target_name: "text",
    /** JSON object, field → [before, after]. */
    changes: "text CHECK (changes IS NULL OR is JSON object)",
    note: "text",
    hash: "text NOT NULL CHECK (length(hash) = 64)",
  },
});

const auditLater = {
  /** JSON object of what is no value, and stays when values are erased: names of changed fields, and the like. */
  facts: "text CHECK (facts IS NULL OR is JSON object)",
  salt: "text",
  commitment: "text",
} as const;

/** Where an organization's chain ends. */
const auditHeads = defineTable({
  name: "audit_heads",
  keptBy: "key",
  columns: { org_id: "text PRIMARY KEY", count: "integer NOT NULL CHECK (count >= 0)", hash: "text NOT NULL" },
});

/** What one secret has sealed last: that entry `count` of the chain has this hash. `mark` tells secrets apart. */
const auditSeals = defineTable({
  name: "audit_seals",
  keptBy: "key",
  rules: ["PRIMARY KEY (org_id, mark)"],
  columns: {
    org_id: "text NOT NULL",
    mark: "text NOT NULL",
    count: "integer NOT NULL",
    hash: "text NOT NULL",
    seal: "text NOT NULL",
  },
});

const keyUsage = defineTable({
  name: "key_usage",
  keptBy: "key",
  rules: ["PRIMARY KEY (org_id, key_id, hour, endpoint, status)"],
  indexes: { key_usage_by_hour: "(hour)", key_usage_by_org_hour: "(org_id, hour)" },
  columns: {
    org_id: "text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE",
    key_id: "text NOT NULL",
    /** Hours since the Unix epoch. */
    hour: "integer NOT NULL",
    /** An endpoint's name, or "unknown". */
    endpoint: "text NOT NULL",
    status: "integer NOT NULL",
    requests: "integer NOT NULL",
    /** Of all of them together. */
    duration_us: "integer NOT NULL",
  },
});

export type AuditTable = RowOf<typeof audit.columns & typeof auditLater>;

export interface HistoryTables extends RowsOf<readonly [typeof auditHeads, typeof auditSeals, typeof keyUsage]> {
  audit: AuditTable;
  /** In PostgreSQL alone; beside an embedded store it is a file of its own. */
  request_blocks: RequestBlocksTable;
}

export type AuditSealsTable = HistoryTables["audit_seals"];
export type KeyUsageTable = HistoryTables["key_usage"];

/**
 * Some hundred requests of one organization. In PostgreSQL beside the other tables; an embedded store keeps them in a file of
 * their own.
 */
export interface RequestBlocksTable {
  org_id: string;
  /** That of the request with which the block began. */
  id: string;
  /** The least and the greatest request id in it; ids are in order of time. */
  first_id: string;
  last_id: string;
  requests: number;
  /** The keys, methods, statuses and codes in it, each between spaces; empty in a block of the version before. */
  terms: string;
  /** JSON, compressed; null in a block of the version before. */
  records: Uint8Array | null;
  /** Of the version before. */
  body: string | null;
}

/** `heads` are the ends of the chains of organizations that are there. */
export function createHistoryAndUse(dialect: Dialect, heads = ""): string {
  return `${createTables(dialect, audit, auditHeads)}${heads}${createTables(dialect, auditSeals)}\n${createTables(dialect, keyUsage)}`;
}

/** What erasing and the change feed need. */
export function extendAudit(dialect: Dialect): string {
  return `${addColumns(dialect, "audit", auditLater)}CREATE INDEX audit_by_time ON audit (org_id, at);
CREATE INDEX audit_unconverted ON audit (org_id) WHERE commitment IS NULL;
CREATE INDEX audit_conversions ON audit (org_id, seq) WHERE action = 'audit.converted';
`;
}

/** For the installation and for each organization, which have done nothing yet. */
export const AUDIT_HEADS = `INSERT INTO audit_heads (org_id, count, hash) VALUES ('installation', 0, '');
INSERT INTO audit_heads (org_id, count, hash) SELECT id, 0, '' FROM organizations;
`;
