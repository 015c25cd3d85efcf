/** Erasing a person: what it would take, and doing it. For owners alone, for it cannot be undone. */
import * as z from "zod";
import { defineAction } from "./action.ts";

export const erasureSchema = z.strictObject({
  /** The player and the prospects that are this person: erasing one of them takes the others along. */
  people: z.array(z.strictObject({ kind: z.enum(["player", "prospect"]), id: z.string(), name: z.string() })),
  /** How many assignments and contracts go along. */
  assignments: z.int(),
  contracts: z.int(),
});

export const ERASURE_ACTIONS = [
  defineAction({
    name: "previewErasure",
    method: "GET",
    path: "/orgs/{orgId}/people/{recordId}/erasure",
    access: "data:erase",
    summary: "What goes when this player or prospect is erased",
    result: erasureSchema,
  }),
  defineAction({
    name: "erasePerson",
    method: "POST",
    path: "/orgs/{orgId}/people/{recordId}/erasure",
    access: "data:erase",
    summary: "Erase a player or prospect, and every value about them",
    result: erasureSchema.extend({
      /** Whether the request log and free pages are clean too; else a server does that within minutes. */
      isSwept: z.boolean(),
    }),
  }),
] as const;
