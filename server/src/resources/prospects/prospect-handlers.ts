/** The verbs of prospects. */
import { ApiError, bodyError, type ErrorDetail } from "@lineup/api/errors";
import { type Prospect, prospectResource } from "@lineup/api/prospects";
import { fillIn } from "@lineup/api/resource";
import { mergeExternalIds } from "../../store/external-ids.ts";
import { makeId } from "../../store/ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { entryOfCreation, entryOfUpdate, findFieldChanges, nextUpdatedAt } from "../changes.ts";
import type { FaultFinder, Verb } from "../context.ts";
import { findProspectFaults } from "./prospect-rules.ts";
import { prospectStore } from "./prospect-store.ts";

export const listProspects: Verb<"listProspects"> = ({ org }, { query }) => prospectStore.list(org, query);

export const getProspect: Verb<"getProspect"> = ({ org }, { id }) => requireProspect(org, id);

export const createProspect: Verb<"createProspect"> = async ({ org, now }, { body }) => {
  const prospect: Prospect = fillIn(prospectResource, { ...body, id: makeId("prospect") }, now);
  refuse(await findProspectFaults(org, undefined, prospect));
  await prospectStore.insert(org, prospect);
  await org.record([entryOfCreation(nameProspect(prospect), prospect, now)]);
  return prospect;
};

export const updateProspect: Verb<"updateProspect"> = async ({ org, now }, { id, body }) => {
  const before = await requireProspect(org, id);
  const { externalIds, ...given } = body;
  const planned: Prospect = {
    ...before,
    ...given,
    externalIds: mergeExternalIds(before.externalIds, externalIds ?? {}),
  };
  refuse(await findProspectFaults(org, id, planned));
  const fields = findFieldChanges(before, planned);
  if (fields === undefined) return before;
  const updatedAt = nextUpdatedAt(now, before.updatedAt);
  const stageChangedAt = before.stage === planned.stage ? before.stageChangedAt : updatedAt;
  const after = { ...planned, stageChangedAt, updatedAt };
  await prospectStore.update(org, before, after);
  await org.record([entryOfUpdate(nameProspect(after), fields, updatedAt)]);
  return after;
};

/** Judges the usable part of a body whose form is wrong, so that its other faults are reported with it. */
export const findProspectBodyFaults: FaultFinder = async ({ org }, id, body, isFaulty) => {
  const usable = body as Partial<Prospect>;
  const before = id === "" ? undefined : await prospectStore.find(org, id);
  if (id !== "" && before === undefined) return [];
  const role = usable.role === undefined ? (before?.role ?? null) : usable.role;
  return findProspectFaults(org, before?.id, {
    game: usable.game ?? before?.game ?? "Other",
    role: isFaulty("role") || isFaulty("game") ? null : role,
    targetTeamId: usable.targetTeamId ?? null,
    externalIds: mergeExternalIds(before?.externalIds ?? {}, usable.externalIds ?? {}),
  });
};

function nameProspect({ id, ign }: Prospect) {
  return { kind: "prospect", id, name: ign };
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw bodyError(faults);
}

async function requireProspect(org: OrgStore, id: string): Promise<Prospect> {
  const prospect = await prospectStore.find(org, id);
  if (prospect !== undefined) return prospect;
  throw new ApiError("NOT_FOUND", "No prospect has this id. GET /prospects lists the prospects of the organization.");
}
