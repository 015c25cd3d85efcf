/** What staff keep: six kinds of records, which everybody in the organization reads and those who may manage data write. */
import * as z from "zod";
import { CONTRACT_STATES, contractResource, listContracts } from "../contracts.ts";
import type { Endpoint } from "../endpoint.ts";
import { RESOURCES, type RecordKind, type SomeResource } from "../endpoints.ts";
import * as field from "../fields.ts";
import { listPlayers, playerResource } from "../players.ts";
import { listProspects, prospectResource } from "../prospects.ts";
import { listRoster, rosterResource } from "../roster.ts";
import { listSchedule, scheduleResource } from "../schedule.ts";
import { listTeams, teamResource } from "../teams.ts";
import { defineAction, done } from "./action.ts";
import { createBody, listQuery, seen, updateBody } from "./data-bodies.ts";

const KINDS = RESOURCES.map(({ kind }) => kind) as [RecordKind, ...RecordKind[]];
/** Calendar links are no records, and go with the team that they are of. */
const counts = z.array(z.strictObject({ kind: z.enum([...KINDS, "calendar"]), count: z.int() }));

/** What goes along with a record that is deleted, or changes; and why it cannot be, where it cannot. */
const deletion = z.strictObject({ deletes: counts, changes: counts, refusal: z.string().nullable() });

/** A list and one of it. */
function readActions<const N extends string, R extends SomeResource, E extends Endpoint & { readonly name: string }>(
  noun: N,
  resource: R,
  list: E,
) {
  const path = `/orgs/{orgId}/${resource.name}` as `/orgs/{orgId}/${R["name"]}`;
  return [
    defineAction({
      name: list.name as E["name"],
      method: "GET",
      path,
      access: "data:view",
      summary: `${resource.tag.name}, with the filters of the public list; a page of at most 500, of 100 where nothing is said`,
      query: listQuery(list.query as E["query"]),
      result: z.strictObject({
        items: z.array(resource.schema as R["schema"]),
        /** Goes on with the next page; null where there is none. */
        nextCursor: z.string().nullable(),
      }),
    }),
    defineAction({
      name: `get${noun}` as `get${N}`,
      method: "GET",
      path: `${path}/{recordId}` as `${typeof path}/{recordId}`,
      access: "data:view",
      summary: `One ${resource.kind}`,
      result: resource.schema as R["schema"],
    }),
  ] as const;
}

/** Making and deleting; both of what has a life of its own. */
function keepActions<const N extends string, R extends SomeResource>(noun: N, resource: R) {
  const path = `/orgs/{orgId}/${resource.name}` as `/orgs/{orgId}/${R["name"]}`;
  const onePath = `${path}/{recordId}` as `${typeof path}/{recordId}`;
  return [
    defineAction({
      name: `create${noun}` as `create${N}`,
      method: "POST",
      path,
      access: "data:manage",
      summary: `Make a ${resource.kind}`,
      body: createBody(resource),
      result: resource.schema as R["schema"],
    }),
    defineAction({
      name: `preview${noun}Deletion` as `preview${N}Deletion`,
      method: "GET",
      path: `${onePath}/deletion` as `${typeof onePath}/deletion`,
      access: "data:manage",
      summary: `What would go along with the ${resource.kind}`,
      result: deletion,
    }),
    defineAction({
      name: `delete${noun}` as `delete${N}`,
      method: "DELETE",
      path: onePath,
      access: "data:manage",
      summary: `Delete the ${resource.kind}, with what goes along`,
      body: z.strictObject(seen),
      result: done,
    }),
  ] as const;
}

function updateAction<const N extends string, R extends SomeResource, B extends z.ZodObject>(
  noun: N,
  resource: R,
  body: B,
) {
  const path = `/orgs/{orgId}/${resource.name}/{recordId}` as `/orgs/{orgId}/${R["name"]}/{recordId}`;
  const summary = `Change the ${resource.kind}; \`updatedAt\` is the version that was seen`;
  const result = resource.schema as R["schema"];
  const name = `update${noun}` as `update${N}`;
  return defineAction({ name, method: "PATCH", path, access: "data:manage", summary, body, result });
}

/** A step that is more than a change of fields. */
function stepAction<const N extends string, const S extends string, R extends SomeResource, B extends z.ZodObject>(
  name: N,
  step: S,
  resource: R,
  summary: string,
  body: B,
) {
  const path = `/orgs/{orgId}/${resource.name}/{recordId}/${step}` as `/orgs/{orgId}/${R["name"]}/{recordId}/${S}`;
  const result = resource.schema as R["schema"];
  return defineAction({ name, method: "POST", path, access: "data:manage", summary, body, result });
}

const { startDate, endDate, signedAt, terminatedAt } = contractResource.schema.shape;
const { startsAt, endsAt, result: score } = scheduleResource.schema.shape;
const { teamId, role, joinDate } = playerResource.schema.shape;

/** The entry that is open afterwards; null for somebody who has left. */
const moved = z.strictObject({ entry: rosterResource.schema.nullable() });

const ROSTER_ACTIONS = [
  defineAction({
    name: "listAssignments",
    method: "GET",
    path: "/orgs/{orgId}/players/{recordId}/assignments",
    access: "data:view",
    summary: "Teams and roles of one player, past and open, the oldest first",
    result: z.strictObject({ items: z.array(rosterResource.schema) }),
  }),
  updateAction(
    "Assignment",
    rosterResource,
    z.strictObject({ isStarter: field.boolean.optional(), isCaptain: field.boolean.optional(), ...seen }),
  ),
  defineAction({
    name: "movePlayer",
    method: "POST",
    path: "/orgs/{orgId}/players/{recordId}/move",
    access: "data:manage",
    summary:
      "Move the player: closes one assignment and opens the next, now or at a moment since the last move; `updatedAt` is that of the open assignment, or of a player without one",
    body: z.strictObject({
      teamId: teamId.optional(),
      role: role.optional(),
      isStarter: field.boolean.optional(),
      isCaptain: field.boolean.optional(),
      at: field.timestamp.optional(),
      ...seen,
    }),
    result: moved,
  }),
  defineAction({
    name: "undoMove",
    method: "POST",
    path: "/orgs/{orgId}/players/{recordId}/undo-move",
    access: "data:manage",
    summary: "Take the player's last move back; `updatedAt` as for a move",
    body: z.strictObject(seen),
    result: moved,
  }),
] as const;

const SCHEDULE_STEPS = [
  stepAction(
    "moveEvent",
    "move",
    scheduleResource,
    "Move the entry; it remembers when it was to start, and ends as much later as it starts unless that is said",
    z.strictObject({ startsAt, endsAt: endsAt.optional(), ...seen }),
  ),
  stepAction("postponeEvent", "postpone", scheduleResource, "Postpone the entry", z.strictObject(seen)),
  stepAction("cancelEvent", "cancel", scheduleResource, "Cancel the entry", z.strictObject(seen)),
  stepAction(
    "completeEvent",
    "complete",
    scheduleResource,
    "Complete the entry with its result",
    z.strictObject({ result: score, ...seen }),
  ),
] as const;

const CONTRACT_STEPS = [
  stepAction(
    "signContract",
    "sign",
    contractResource,
    "Sign the contract: it is active, and so is its player's contractStatus",
    z.strictObject({ signedAt: signedAt.unwrap().optional(), ...seen }),
  ),
  stepAction(
    "renewContract",
    "renew",
    contractResource,
    "Make a new contract from the end of this one",
    z.strictObject({
      endDate,
      status: z.enum(CONTRACT_STATES).extract(["draft", "pending", "active"]).optional(),
      ...seen,
    }),
  ),
  stepAction(
    "terminateContract",
    "terminate",
    contractResource,
    "Terminate the contract at a moment that has come",
    z.strictObject({ terminatedAt: terminatedAt.unwrap().optional(), ...seen }),
  ),
] as const;

const SIGNING = stepAction(
  "signProspect",
  "sign",
  prospectResource,
  "Sign the prospect: makes the player, with team, role and contract where they are given",
  z.strictObject({
    teamId: teamId.optional(),
    role: role.optional(),
    joinDate: joinDate.optional(),
    contract: createBody(contractResource).omit({ playerId: true }).extend({ startDate }).strict().optional(),
    ...seen,
  }),
);

export const DATA_ACTIONS = [
  ...readActions("Player", playerResource, listPlayers),
  ...keepActions("Player", playerResource),
  updateAction("Player", playerResource, updateBody(playerResource)),
  ...readActions("Team", teamResource, listTeams),
  ...keepActions("Team", teamResource),
  updateAction("Team", teamResource, updateBody(teamResource)),
  ...readActions("Assignment", rosterResource, listRoster),
  ...ROSTER_ACTIONS,
  ...readActions("Event", scheduleResource, listSchedule),
  ...keepActions("Event", scheduleResource),
  updateAction("Event", scheduleResource, updateBody(scheduleResource)),
  ...SCHEDULE_STEPS,
  ...readActions("Prospect", prospectResource, listProspects),
  ...keepActions("Prospect", prospectResource),
  updateAction("Prospect", prospectResource, updateBody(prospectResource)),
  SIGNING,
  ...readActions("Contract", contractResource, listContracts),
  ...keepActions("Contract", contractResource),
  updateAction("Contract", contractResource, updateBody(contractResource, ["playerId"])),
  ...CONTRACT_STEPS,
] as const;
