/** What keeps the pages of data current. Both read what the audit log says has changed, and the records as they are now. */
import { CHANGED_KINDS, type ChangedKind } from "@lineup/api/change-types";
import type { Change } from "@lineup/api/changes";
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { allows, type Role } from "@lineup/api/dashboard/members";
import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { RESOURCES } from "@lineup/api/endpoints";
import { ApiError } from "@lineup/api/errors";
import { isIdOf } from "@lineup/api/ids";
import { listAuditEntries } from "../audit/audit-entries.ts";
import { readChanges } from "../events/change-rows.ts";
import type { VerbContext } from "../resources/context.ts";
import { contractRules } from "../resources/contracts/contract-rules.ts";
import { playerRules } from "../resources/players/player-rules.ts";
import { prospectRules } from "../resources/prospects/prospect-rules.ts";
import { showRecord } from "../resources/record-writes.ts";
import { rosterRules } from "../resources/roster/roster-moves.ts";
import { scheduleRules } from "../resources/schedule/schedule-rules.ts";
import { teamRules } from "../resources/teams/team-rules.ts";
import type { ActionVerbs } from "./context.ts";

type Followed = ActionResult<"followRecords">;

/** Who is further behind reads the lists again, which is quicker. */
const BEHIND_MAX = 2_000;
const CHANGES_MAX = 200;
const HISTORY_PAGE = 20;

const KIND_OF = new Map<string, ChangedKind>(
  Object.entries(CHANGED_KINDS).map(([kind, { type }]) => [type, kind as ChangedKind]),
);

const SHOW: {
  readonly [K in ChangedKind]: (context: VerbContext, id: string) => Promise<Followed["records"][K][number]>;
} = {
  team: (context, id) => showRecord(context, teamRules, id),
  player: (context, id) => showRecord(context, playerRules, id),
  assignment: (context, id) => showRecord(context, rosterRules, id),
  contract: (context, id) => showRecord(context, contractRules, id),
  event: (context, id) => showRecord(context, scheduleRules, id),
  prospect: (context, id) => showRecord(context, prospectRules, id),
};

export const FOLLOWING_VERBS = {
  followRecords: async ({ tools, orgId, visit }, { query: { after } }) => {
    const org = tools.store.org(orgId);
    const followed: Followed = {
      sequence: 0,
      isMore: false,
      isTooFar: false,
      records: { team: [], player: [], assignment: [], contract: [], event: [], prospect: [] },
      deleted: [],
    };
    const { count } = await org.readAuditEnd();
    // A number from ahead of the log is of before a backup was restored.
    if (after === undefined || after > count || count - after > BEHIND_MAX) {
      return { ...followed, sequence: count, isTooFar: after !== undefined };
    }
    const { changes, lookedTo, end } = await readChanges(org, after, undefined, CHANGES_MAX);
    const context = { org, now: visit.now };
    for (const { kind, id } of listTargets(changes)) {
      const record = await find(context, kind, id);
      if (record === undefined) followed.deleted.push({ kind, id });
      else (followed.records[kind] as object[]).push(record);
    }
    return { ...followed, sequence: lookedTo, isMore: lookedTo < end };
  },

  /**
   * Of records that are there alone: what was deleted is gone from every read, and what was done to keys and people is for who may see the
   * audit log.
   */
  listRecordHistory: async (member, { path, query }) => {
    const { tools, orgId, visit, role } = member;
    const kind = RESOURCES.find((resource) => isIdOf(resource.kind, path.recordId))?.kind;
    const context = { org: tools.store.org(orgId), now: visit.now };
    if (kind === undefined || (await find(context, kind, path.recordId)) === undefined) {
      throw new ActionError("NOT_FOUND", "No record has this id. Open the record from its list.");
    }
    const wanted = { target: path.recordId, cursor: query.cursor, limit: HISTORY_PAGE };
    const { entries, nextCursor } = await listAuditEntries(tools.store, orgId, wanted);
    return {
      entries: entries.map(({ seq, at, actor, action, changes, note }) => {
        return { seq, at, actor: nameActor(actor, role), action, changes, note };
      }),
      nextCursor,
    };
  },
} satisfies Partial<ActionVerbs>;

/** Each once. */
function listTargets(changes: readonly Change[]): { readonly kind: ChangedKind; readonly id: string }[] {
  const kinds = new Map(changes.map(({ type, resourceId }) => [resourceId, KIND_OF.get(type.split(".")[0] ?? "")]));
  return [...kinds].flatMap(([id, kind]) => (kind === undefined ? [] : [{ kind, id }]));
}

async function find(context: VerbContext, kind: ChangedKind, id: string): Promise<object | undefined> {
  return SHOW[kind](context, id).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "NOT_FOUND") return undefined;
    throw error;
  });
}

/** Keys have names for those who may see keys. */
function nameActor({ kind, name }: AuditEntryView["actor"], role: Role): AuditEntryView["actor"] {
  const isHidden = kind === "key" && !allows(role, "keys:view");
  return { kind, id: null, name: isHidden ? "An API key" : name };
}
