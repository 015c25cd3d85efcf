/** What keeps the pages of data current: the records that have changed since a moment, and the history of one. */
import * as z from "zod";
import { contractResource } from "../contracts.ts";
import { playerResource } from "../players.ts";
import { prospectResource } from "../prospects.ts";
import { rosterResource } from "../roster.ts";
import { scheduleResource } from "../schedule.ts";
import { teamResource } from "../teams.ts";
import { defineAction } from "./action.ts";
import { auditEntrySchema } from "./records.ts";

const recordKind = z.enum(["team", "player", "assignment", "contract", "event", "prospect"]);

const sequence = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be a number that was given out as `sequence`" })
  .transform(Number);

/** Without the address and the request of each: those are for who may see the audit log. */
export const historyEntrySchema = auditEntrySchema.omit({ address: true, requestId: true, target: true });
export type HistoryEntry = z.output<typeof historyEntrySchema>;

export const FOLLOWING_ACTIONS = [
  defineAction({
    name: "followRecords",
    method: "GET",
    path: "/orgs/{orgId}/following",
    access: "data:view",
    summary: "Records that have changed behind a sequence, as they are now; without one, the sequence of now alone",
    query: z.strictObject({ after: sequence.optional() }),
    result: z.strictObject({
      /** What to ask behind next. */
      sequence: z.int(),
      /** Whether there is more behind it. */
      isMore: z.boolean(),
      /** So much has changed that the lists are to be read again. */
      isTooFar: z.boolean(),
      records: z.strictObject({
        team: z.array(teamResource.schema),
        player: z.array(playerResource.schema),
        assignment: z.array(rosterResource.schema),
        contract: z.array(contractResource.schema),
        event: z.array(scheduleResource.schema),
        prospect: z.array(prospectResource.schema),
      }),
      deleted: z.array(z.strictObject({ kind: recordKind, id: z.string() })),
    }),
  }),
  defineAction({
    name: "listRecordHistory",
    method: "GET",
    path: "/orgs/{orgId}/records/{recordId}/history",
    access: "data:view",
    summary: "Who changed the record, and what of it, newest first",
    query: z.strictObject({ cursor: z.string().max(20).optional() }),
    result: z.strictObject({ entries: z.array(historyEntrySchema), nextCursor: z.string().nullable() }),
  }),
] as const;
