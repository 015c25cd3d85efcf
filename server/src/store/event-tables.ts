/**
 * The tables of what others are told of changes, and of what makes writing safe: the same in both databases. The audit log itself is the
 * list of changes; these hold who is told, how far they are, and what was answered before.
 */
import { EXPIRY_NOTICES_DAYS } from "@lineup/api/change-types";
import { DAY_MS } from "@lineup/api/tiers";
import { among, type Dialect } from "./record-ddl.ts";

export function createEventTables(dialect: Dialect): string {
  const { text, integer } = dialect.types;
  const owner = `org_id ${text} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE`;
  return `
DROP TABLE changes;

ALTER TABLE audit ADD COLUMN facts ${text} CHECK (facts IS NULL OR ${dialect.jsonType("facts")} = 'object');
ALTER TABLE audit ADD COLUMN salt ${text};
ALTER TABLE audit ADD COLUMN commitment ${text};
CREATE INDEX audit_by_time ON audit (org_id, at);
CREATE INDEX audit_unconverted ON audit (org_id) WHERE commitment IS NULL;
CREATE INDEX audit_conversions ON audit (org_id, seq) WHERE action = 'audit.converted';

CREATE TABLE idempotent_writes (
  ${owner},
  key_id ${text} NOT NULL,
  idempotency_key ${text} NOT NULL CHECK (idempotency_key <> ''),
  request_hash ${text} NOT NULL CHECK (length(request_hash) = 64),
  record_id ${text} NOT NULL,
  body ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  PRIMARY KEY (org_id, key_id, idempotency_key)
)${dialect.tableEnd};
CREATE INDEX idempotent_writes_by_record ON idempotent_writes (org_id, record_id);
CREATE INDEX idempotent_writes_by_age ON idempotent_writes (created_at);

CREATE TABLE webhooks (
  ${owner},
  id ${text} NOT NULL CHECK (${dialect.isIdOf("webhook")}),
  url ${text} NOT NULL CHECK (url <> ''),
  types ${text} CHECK (types IS NULL OR ${dialect.jsonType("types")} = 'array'),
  description ${text} NOT NULL,
  secret ${text} NOT NULL,
  previous_secret ${text},
  previous_until ${integer},
  position ${integer} NOT NULL CHECK (position >= 0),
  replays ${integer} NOT NULL DEFAULT 0,
  next_due_at ${integer},
  failing_since ${integer},
  warned_at ${integer},
  disabled_at ${integer},
  disabled_reason ${text},
  created_by ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  PRIMARY KEY (org_id, id)
)${dialect.tableEnd};

CREATE TABLE webhook_deliveries (
  ${owner},
  webhook_id ${text} NOT NULL,
  id ${text} NOT NULL,
  seq ${integer},
  type ${text} NOT NULL,
  state ${text} NOT NULL ${among("state", ["waiting", "delivered", "failed"])},
  attempts ${text} NOT NULL CHECK (${dialect.jsonType("attempts")} = 'array'),
  due_at ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  PRIMARY KEY (org_id, webhook_id, id),
  FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks (org_id, id) ON DELETE CASCADE
)${dialect.tableEnd};
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (org_id, webhook_id, due_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (org_id, webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

CREATE TABLE contract_clock (
  ${owner},
  contract_id ${text} NOT NULL,
  end_date ${integer} NOT NULL,
  days ${integer} NOT NULL CHECK (days >= 0),
  due_at ${integer} NOT NULL,
  PRIMARY KEY (org_id, contract_id),
  FOREIGN KEY (org_id, contract_id) REFERENCES contracts (org_id, id) ON DELETE CASCADE
)${dialect.tableEnd};
CREATE INDEX contract_clock_by_time ON contract_clock (due_at);

CREATE TABLE erasures (
  ${owner},
  record_id ${text} NOT NULL,
  at ${integer} NOT NULL,
  sought ${text} CHECK (sought IS NULL OR ${dialect.jsonType("sought")} = 'array'),
  swept_at ${integer},
  PRIMARY KEY (org_id, record_id)
)${dialect.tableEnd};
CREATE INDEX erasures_unfinished ON erasures (at) WHERE sought IS NOT NULL;

CREATE TABLE leases (
  name ${text} PRIMARY KEY,
  holder ${text} NOT NULL,
  until ${integer} NOT NULL
)${dialect.tableEnd};
`;
}

/**
 * Contracts that are there already: what time has told of them by now is not told again. `nowMs` is the moment of the step, as the database
 * writes it.
 */
export function fillContractClock(nowMs: string): string {
  const dueAt = (days: number) => `end_date - ${days * DAY_MS}`;
  const cases = EXPIRY_NOTICES_DAYS.map((days) => `WHEN ${dueAt(days)} > ${nowMs} THEN ${days}`).join(" ");
  return `
INSERT INTO contract_clock (org_id, contract_id, end_date, days, due_at)
SELECT org_id, id, end_date, days, end_date - days * ${DAY_MS} FROM (
  SELECT org_id, id, end_date, CAST(CASE ${cases} ELSE 0 END AS bigint) AS days
  FROM contracts WHERE status = 'active' AND end_date > ${nowMs}
) AS running;
`;
}

/** Those that belong to an organization. */
export const EVENT_TABLES = [
  "idempotent_writes",
  "webhook_deliveries",
  "webhooks",
  "contract_clock",
  "erasures",
] as const;
