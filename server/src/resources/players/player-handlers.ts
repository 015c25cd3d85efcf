/** The verbs of players. */
import { ApiError } from "@lineup/api/errors";
import { type Player, playerResource } from "@lineup/api/players";
import { fillIn } from "@lineup/api/resource";
import { mergeExternalIds } from "../../store/external-ids.ts";
import { makeId } from "../../store/ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { entryOfCreation, entryOfUpdate, findFieldChanges, nextUpdatedAt } from "../changes.ts";
import type { FaultFinder, Verb } from "../context.ts";
import { touchContractsOfPlayers } from "../contracts/contract-store.ts";
import { followPlayer } from "../roster/assignment-store.ts";
import { findPlayerFaults, noteUnusualStep, refuseFaults } from "./player-rules.ts";
import { playerStore, selectPlayers } from "./player-store.ts";

export const listPlayers: Verb<"listPlayers"> = ({ org }, { query }) => selectPlayers(org, query);

export const getPlayer: Verb<"getPlayer"> = ({ org }, { id }) => requirePlayer(org, id);

export const createPlayer: Verb<"createPlayer"> = async ({ org, now }, { body }) => {
  const player: Player = fillIn(playerResource, { ...body, id: makeId("player") }, now);
  refuseFaults(await findPlayerFaults(org, { ...player, id: undefined, checkRole: true }));
  await playerStore.insert(org, player);
  await followPlayer(org, undefined, player, now);
  await org.record([entryOfCreation(namePlayer(player), player, now)]);
  return player;
};

export const updatePlayer: Verb<"updatePlayer"> = async ({ org, now }, { id, body }) => {
  const before = await requirePlayer(org, id);
  const { externalIds, ...given } = body;
  const planned: Player = {
    ...before,
    ...given,
    externalIds: mergeExternalIds(before.externalIds, externalIds ?? {}),
  };
  const checkRole = body.role !== undefined || body.teamId !== undefined;
  refuseFaults(await findPlayerFaults(org, { ...planned, checkRole }));
  const fields = findFieldChanges(before, planned);
  if (fields === undefined) return before;
  const after = { ...planned, updatedAt: nextUpdatedAt(now, before.updatedAt) };
  await playerStore.update(org, before, after);
  await followPlayer(org, before, after, now);
  if (before.ign !== after.ign) await touchContractsOfPlayers(org, [id], now);
  const note = noteUnusualStep(before.contractStatus, after.contractStatus);
  await org.record([entryOfUpdate(namePlayer(after), fields, after.updatedAt, note)]);
  return after;
};

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

function namePlayer({ id, ign }: Player) {
  return { kind: "player", id, name: ign };
}

async function requirePlayer(org: OrgStore, id: string): Promise<Player> {
  const player = await playerStore.find(org, id);
  if (player !== undefined) return player;
  throw new ApiError("NOT_FOUND", "No player has this id. GET /players lists the players of the organization.");
}
