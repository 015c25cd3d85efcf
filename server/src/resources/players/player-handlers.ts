/** The verbs of players. */
import type { Player } from "@lineup/api/players";
import { mergeExternalIds } from "../../store/external-ids.ts";
import type { FaultFinder, Verb } from "../context.ts";
import { changeRecord, createRecord, requireRecord, tell } from "../record-writes.ts";
import { findPlayerFaults } from "./player-rules.ts";
import { playerStore, selectPlayers } from "./player-store.ts";
import { playerRules } from "./player-writes.ts";

export const listPlayers: Verb<"listPlayers"> = ({ org }, { query }) => selectPlayers(org, query);

export const getPlayer: Verb<"getPlayer"> = (context, { id }) => requireRecord(context, playerRules, id);

export const createPlayer: Verb<"createPlayer"> = async (context, { body }) =>
  tell(context, await createRecord(context, playerRules, body));

export const updatePlayer: Verb<"updatePlayer"> = async (context, { id, body }) =>
  tell(context, await changeRecord(context, playerRules, id, () => body));

/** Judges the usable part of a body whose form is wrong, so that its other faults are reported with it. */
export const findPlayerBodyFaults: FaultFinder = async ({ org }, id, body, isFaulty) => {
  const usable = body as Partial<Player>;
  const before = id === "" ? undefined : await playerStore.find(org, id);
  if (id !== "" && before === undefined) return [];
  const teamId = usable.teamId === undefined ? (before?.teamId ?? null) : usable.teamId;
  const { role, others } = await findPlayerFaults(org, {
    id: before?.id,
    role: isFaulty("role") ? undefined : (usable.role ?? before?.role),
    teamId: isFaulty("teamId") ? undefined : teamId,
    externalIds: usable.externalIds && mergeExternalIds(before?.externalIds ?? {}, usable.externalIds),
    checkRole: usable.role !== undefined || usable.teamId !== undefined,
  });
  return [...others, ...role];
};
