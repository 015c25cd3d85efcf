/** The change feed: what has changed, in the order in which it was committed. Never values: those are read where a key may read them. */
import * as z from "zod";
import { CHANGE_TYPES, type ChangeType } from "./change-types.ts";
import { defineEndpoint } from "./endpoint.ts";
import * as field from "./fields.ts";
import { ID_SUFFIX } from "./ids.ts";
import { cursorParameter, enumFilter, instantParameter, integerParameter, LIMIT_MAX } from "./parameters.ts";
import { ID_EXAMPLE } from "./resource.ts";

/** How many a page has where none is asked for. */
export const CHANGES_DEFAULT = 100;

export const changeSchema = z.strictObject({
  id: field.idOf("change").describe("Identifier of the change; a webhook carries the same one."),
  type: z.enum(CHANGE_TYPES as [ChangeType, ...ChangeType[]]).describe("What has happened to which kind of record."),
  resourceId: z
    .string()
    .regex(new RegExp(`^[a-z]+_${ID_SUFFIX}$`))
    .describe("Identifier of the record that has changed."),
  fields: z
    .array(z.string())
    .describe("The names of the fields that have changed; of a new record, of those that were set."),
  sequence: z.int().min(1).describe("Rises with every change of the organization, in the order of commits; may skip."),
  occurredAt: field.timestamp.describe("When it happened, in milliseconds since the Unix epoch."),
  days: z.int().nullable().describe("Of `contract.expiring`: days to the end of the contract; else null."),
  reason: z
    .enum(["deleted", "erased"])
    .nullable()
    .describe("Of a record that is gone: whether it was deleted or the person erased; else null."),
});

export type Change = z.output<typeof changeSchema>;

/** As the reference shows it. */
export const changeComponent = {
  component: "Change",
  description: "Something that has happened to a record.",
  tag: { name: "Changes", description: "What has changed, to keep a copy current." },
  schema: changeSchema,
  example: {
    id: `change_${ID_EXAMPLE}`,
    type: "player.updated",
    resourceId: `player_${ID_EXAMPLE}`,
    fields: ["teamId", "role"],
    sequence: 4_211,
    occurredAt: Date.UTC(2026, 0, 1, 12),
    days: null,
    reason: null,
  } satisfies Change,
} as const;

export const listChanges = defineEndpoint({
  name: "listChanges",
  method: "GET",
  path: "/changes",
  permission: "any read",
  tag: "Changes",
  summary: "What has changed",
  description:
    "The changes of all kinds of records that the key may read, in the order in which they were committed: none skipped, none twice. Without `cursor` or `since` it begins with now: the page is empty, and its `meta.nextCursor` is where to go on. That cursor is always there; a page with fewer changes than `limit` is the last for now. A cursor older than what is kept is refused: read the lists again, and follow from a new one.",
  query: {
    limit: integerParameter(1, LIMIT_MAX, `The most changes to answer with; ${CHANGES_DEFAULT} when left out.`, 100),
    cursor: cursorParameter,
    since: instantParameter("Begins with the first change at or after this moment."),
    type: enumFilter(CHANGE_TYPES, "Changes of this type."),
  },
  result: changeSchema,
  list: true,
  timeless: false,
});
