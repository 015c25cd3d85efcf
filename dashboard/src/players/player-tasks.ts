/** Changes of one player as they are made, many at a time or one by one, each with what takes it back. */
import type { Player } from "@lineup/api/players";
import type { RosterEntry } from "@lineup/api/roster";
import { callAction } from "../client/call-action.ts";
import type { Step } from "../records/use-record-write.ts";
import type { BulkTask } from "./bulk-run.ts";

export type PlayerFields = Partial<Pick<Player, "status" | "contractStatus">>;

export function changeFields(orgId: string, player: Player, fields: PlayerFields): BulkTask<Player> {
  const path = { orgId, recordId: player.id };
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, player[name as keyof PlayerFields]]));
  return {
    of: player,
    run: async () => {
      const { updatedAt } = await callAction("updatePlayer", {
        path,
        body: { ...fields, updatedAt: player.updatedAt },
      });
      return () => callAction("updatePlayer", { path, body: { ...before, updatedAt } });
    },
  };
}

export interface Destination {
  readonly teamId: string | null;
  readonly role: string;
}

/** `open` is the player's entry in the roster, whose version a move is checked against; undefined without a team. */
export function movePlayerTo(
  orgId: string,
  player: Player,
  open: RosterEntry | undefined,
  to: Destination,
): BulkTask<Player> {
  const path = { orgId, recordId: player.id };
  return {
    of: player,
    run: async () => {
      const { entry } = await callAction("movePlayer", { path, body: moveBody(player, open, to) });
      return async () => {
        const updatedAt = entry?.updatedAt ?? (await callAction("getPlayer", { path })).updatedAt;
        const step = stepBack(orgId, player, open, updatedAt);
        return callAction(step.name, step.input as never);
      };
    },
  };
}

export function moveBody(player: Player, open: RosterEntry | undefined, to: Destination) {
  return { ...to, updatedAt: open?.updatedAt ?? player.updatedAt };
}

/** One step back opens the entry that the move has closed. Who had no team goes back to none, in the role of before. */
export function stepBack(orgId: string, before: Player, open: RosterEntry | undefined, updatedAt: number): Step {
  const path = { orgId, recordId: before.id };
  if (open !== undefined) return { name: "undoMove", input: { path, body: { updatedAt } } };
  return { name: "movePlayer", input: { path, body: { teamId: null, role: before.role, updatedAt } } };
}
