/** Both envelopes of the specification. */
import * as z from "zod";
import { ERROR_CODES, type ErrorCode } from "./errors.ts";
import { idOf } from "./fields.ts";

const requestId = idOf("req").meta({
  description: "Identifier of the request, to quote to support",
  example: "req_01jb8v6k3ze5xr9m4q7w2t5n8d",
});
const isoTimestamp = z.iso
  .datetime()
  .meta({ description: "ISO 8601 UTC date-time", example: "2026-01-01T12:00:00.000Z" });

const meta = z.strictObject({
  count: z.int().min(0).describe("Number of items in data (1 for a single resource)"),
  requestId,
  timestamp: isoTimestamp,
});

const pagedMeta = meta.extend({
  nextCursor: z
    .string()
    .nullable()
    .optional()
    .describe("With `limit` or `cursor`: where the next page begins, null on the last one"),
});

export function successEnvelope(result: z.ZodType, list: boolean) {
  return z.strictObject({
    success: z.literal(true),
    data: list ? z.array(result) : result,
    meta: list ? pagedMeta : meta,
  });
}

export const errorEnvelope = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: z.enum(ERROR_CODES as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe("What happened and what to do next"),
    status: z.int().describe("Same as the HTTP status"),
    details: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .optional()
      .describe("Everything that is wrong with the body or the query parameters, at once"),
  }),
  meta: z.strictObject({ requestId, timestamp: isoTimestamp }),
});
