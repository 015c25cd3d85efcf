/** Compliance › Requests and Compliance › Audit. */
import * as z from "zod";
import { ERROR_CODES } from "../errors.ts";
import { defineAction, moment } from "./action.ts";

const text = z.string().trim().min(1).max(500);
const momentText = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be milliseconds since the Unix epoch" })
  .transform(Number);
const pageLimit = z
  .string()
  .regex(/^\d{1,3}$/, { error: "must be a number from 1 to 200" })
  .transform(Number)
  .pipe(z.int().min(1).max(200))
  .optional();

export const requestSchema = z.strictObject({
  id: z.string(),
  at: moment,
  method: z.string(),
  /** Path and query, under the API's prefix. */
  target: z.string(),
  /** Method and path of the endpoint, such as `GET /players/{id}`; null where there is none. */
  route: z.string().nullable(),
  status: z.int(),
  code: z.string().nullable(),
  durationMs: z.number(),
  keyId: z.string(),
  keyName: z.string().nullable(),
  keyShownPrefix: z.string().nullable(),
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
});
export type RequestView = z.output<typeof requestSchema>;

export const requestFilters = z.strictObject({
  /** A request id, whole. */
  id: text.optional(),
  keyId: text.optional(),
  /** A status such as 404, or a class of them such as 4xx. */
  status: z
    .string()
    .regex(/^([1-5]\d\d|[1-5]xx)$/, { error: "must be a status such as 404 or 4xx" })
    .optional(),
  code: z.enum(ERROR_CODES).optional(),
  method: z.enum(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"]).optional(),
  /** Part of path or query. */
  path: text.optional(),
  from: momentText.optional(),
  to: momentText.optional(),
});

export const auditEntrySchema = z.strictObject({
  seq: z.int(),
  at: moment,
  actor: z.strictObject({
    kind: z.enum(["user", "key", "command", "server"]),
    id: z.string().nullable(),
    name: z.string(),
  }),
  address: z.string().nullable(),
  requestId: z.string().nullable(),
  action: z.string(),
  target: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
  /** Field → [before, after]. */
  changes: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])).nullable(),
  note: z.string().nullable(),
});
export type AuditEntryView = z.output<typeof auditEntrySchema>;

export const auditFilters = z.strictObject({
  /** An actor's id. */
  actor: text.optional(),
  /** Whole, such as `key.revoked`, or all of a kind, such as `key`. */
  action: text.optional(),
  /** A target's id. */
  target: text.optional(),
  from: momentText.optional(),
  to: momentText.optional(),
});

export const RECORD_ACTIONS = [
  defineAction({
    name: "listRequests",
    method: "GET",
    path: "/orgs/{orgId}/requests",
    access: "requests:view",
    summary: "Requests of the organization's keys, newest first",
    query: requestFilters.extend({ cursor: text.optional(), limit: pageLimit }),
    result: z.strictObject({
      requests: z.array(requestSchema),
      /** Goes on with older ones; null when there are none. A page may be short or empty and still have one. */
      nextCursor: z.string().nullable(),
      /** How far back this page has looked. */
      searchedBackTo: moment,
      retentionDays: z.int(),
    }),
  }),
  defineAction({
    name: "getRequest",
    method: "GET",
    path: "/orgs/{orgId}/requests/{requestId}",
    access: "requests:view",
    summary: "All that is known of one request",
    result: requestSchema,
  }),
  defineAction({
    name: "listAudit",
    method: "GET",
    path: "/orgs/{orgId}/audit",
    access: "audit:view",
    summary: "Who did what, newest first",
    query: auditFilters.extend({ cursor: text.optional(), limit: pageLimit }),
    result: z.strictObject({
      entries: z.array(auditEntrySchema),
      nextCursor: z.string().nullable(),
      total: z.int(),
    }),
  }),
  defineAction({
    name: "exportAudit",
    method: "POST",
    path: "/orgs/{orgId}/audit/export",
    access: "audit:view",
    summary: "The entries that match, as CSV; the export is itself recorded",
    body: auditFilters.extend({ from: moment.optional(), to: moment.optional() }),
    result: z.strictObject({ fileName: z.string(), csv: z.string() }),
  }),
] as const;
