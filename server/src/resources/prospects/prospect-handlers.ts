/** The verbs of prospects. */
import type { Prospect } from "@lineup/api/prospects";
import { mergeExternalIds } from "../../store/external-ids.ts";
import type { FaultFinder, Verb } from "../context.ts";
import { changeRecord, createRecord, requireRecord, tell } from "../record-writes.ts";
import { findProspectFaults, prospectRules } from "./prospect-rules.ts";
import { prospectStore } from "./prospect-store.ts";

export const listProspects: Verb<"listProspects"> = ({ org }, { query }) => prospectStore.list(org, query);

export const getProspect: Verb<"getProspect"> = (context, { id }) => requireRecord(context, prospectRules, id);

export const createProspect: Verb<"createProspect"> = async (context, { body }) =>
  tell(context, await createRecord(context, prospectRules, body));

export const updateProspect: Verb<"updateProspect"> = async (context, { id, body }) =>
  tell(context, await changeRecord(context, prospectRules, id, () => body));

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
