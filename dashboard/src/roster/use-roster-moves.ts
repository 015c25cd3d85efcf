/** What can be done with a card. Each is shown at once, taken back where it is refused, and offers one step back. */
import type { Player } from "@lineup/api/players";
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import type { RosterEntry } from "@lineup/api/roster";
import { useQueryClient } from "@tanstack/react-query";
import { createContext } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { type RecordSet, recordsKey } from "../records/record-cache.ts";
import { showFields } from "../records/shown-layers.ts";
import { type RecordWriteOptions, useRecordWrite } from "../records/use-record-write.ts";
import { MOVE_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { useCardTurns } from "./card-turns.ts";
import type { Destination } from "./drop-plan.ts";
import { layersOfCard, type RosterCard } from "./line-up.ts";

export interface RosterMoves {
  readonly move: (card: RosterCard, to: Destination) => void;
  readonly setStarter: (card: RosterCard, isStarter: boolean) => void;
  readonly setCaptain: (card: RosterCard, isCaptain: boolean) => void;
  readonly setStatus: (card: RosterCard, status: "active" | "benched") => void;
  readonly takeBack: (card: RosterCard) => void;
}

/** What cards offer; null where nothing may be changed. */
export const CardActions = createContext<CardActionSet | null>(null);

/** Ids of those whom somebody has moved here: they stay in sight, however many others there are. */
export const TouchedCards = createContext<ReadonlySet<string>>(new Set());

export interface CardActionSet extends Omit<RosterMoves, "move"> {
  /** Opens the dialog. */
  readonly ask: (card: RosterCard) => void;
  readonly takeOut: (card: RosterCard) => void;
}

export function useRosterMoves(): RosterMoves {
  const { id: orgId } = useOrganization();
  const findPlayer = useFindPlayer();
  const move = useRecordWrite("movePlayer", useMoveOptions());
  const back = useRecordWrite("undoMove", {
    says: (_, { path }) => TEXTS.takenBack(findPlayer(path.recordId)?.ign ?? ""),
  });
  const shift = useRecordWrite("movePlayer", {
    ...useMoveOptions(),
    says: ({ entry }, { body }) => (entry === null ? "" : sayFlags(entry, body)),
  });
  const amend = useRecordWrite("updateAssignment", {
    undo: "fields",
    says: (entry, { body }) => sayFlags(entry, body),
  });
  const status = useRecordWrite("updatePlayer", {
    undo: "fields",
    says: (player) => (player.status === "benched" ? TEXTS.benched(player.ign) : TEXTS.activated(player.ign)),
  });
  const inTurn = useCardTurns();
  const setFlags = (card: RosterCard, flags: Flags) => {
    if (card.assignmentId === null) return;
    const write = inTurn(card, ({ card: { assignmentId, since, updatedAt } }) => {
      const body = { ...flags, updatedAt };
      // Who joins later has no past here to keep, and a move would have them join now.
      return since > serverNow()
        ? amend.mutateAsync({ path: { orgId, recordId: assignmentId ?? "" }, body })
        : shift.mutateAsync({ path: { orgId, recordId: card.playerId }, body });
    });
    showWhile(card, flags, write);
  };
  return {
    move: (card, to) => {
      const path = { orgId, recordId: card.playerId };
      const write = inTurn(card, ({ card: { updatedAt } }) => move.mutateAsync({ path, body: { ...to, updatedAt } }));
      showWhile(card, showDestination(card, to), write);
    },
    setStarter: (card, isStarter) => setFlags(card, { isStarter }),
    setCaptain: (card, isCaptain) => setFlags(card, { isCaptain }),
    setStatus: (card, next) => {
      const write = inTurn(card, ({ player }) => {
        if (player === undefined) return Promise.resolve();
        const path = { orgId, recordId: player.id };
        return status.mutateAsync({ path, body: { status: next, updatedAt: player.updatedAt } });
      });
      showWhile(card, { status: next }, write);
    },
    takeBack: (card) => {
      const path = { orgId, recordId: card.playerId };
      const write = inTurn(card, ({ card: { updatedAt } }) => back.mutateAsync({ path, body: { updatedAt } }));
      // What becomes of it is told by the write.
      write.catch(() => undefined);
    },
  };
}

type Flags = Pick<Partial<RosterCard>, "isStarter" | "isCaptain">;

function sayFlags(entry: RosterEntry, written: { readonly isStarter?: boolean | undefined }): string {
  const { ign, isStarter, isCaptain } = entry;
  if (written.isStarter !== undefined) return isStarter ? TEXTS.starts(ign) : TEXTS.substitutes(ign);
  return isCaptain ? TEXTS.isCaptainNow(ign) : TEXTS.isCaptainNoMore(ign);
}

/** Until the records show it, or it is refused. A card never jumps. */
function showWhile({ playerId }: RosterCard, shown: Partial<RosterCard>, write: Promise<unknown>): void {
  const hide = showFields(layersOfCard(playerId), shown);
  // What becomes of it is told by the write.
  write.then(hide, hide);
}

/** As the server will have it. */
function showDestination(card: RosterCard, to: Destination): Partial<RosterCard> {
  const { teamId, role, isStarter = startsByDefault(role), isCaptain = teamId === card.teamId && card.isCaptain } = to;
  return { teamId, role, kind: kindOfRole(role), isStarter, isCaptain };
}

/** What a move says when it is done, and what takes it back. */
export function useMoveOptions(): Pick<RecordWriteOptions<"movePlayer">, "says" | "undo"> {
  const findPlayer = useFindPlayer();
  return {
    says: ({ entry }, { path }) =>
      entry === null
        ? TEXTS.takenOut(findPlayer(path.recordId)?.ign ?? "")
        : TEXTS.moved(entry.ign, entry.teamName, entry.role),
    undo: ({ entry }, { path }, record) => {
      const before = record as Player | undefined;
      const updatedAt = entry?.updatedAt ?? findPlayer(path.recordId)?.updatedAt;
      if (updatedAt === undefined) return undefined;
      // One step back leaves the role as it is for somebody who had no team, and a role of a game means nothing without one.
      return before?.teamId === null && before.role !== entry?.role
        ? { name: "movePlayer", input: { path, body: { teamId: null, role: before.role, updatedAt } } }
        : { name: "undoMove", input: { path, body: { updatedAt } } };
    },
  };
}

/** The player as the records have it at the moment of asking. */
function useFindPlayer() {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  return (id: string) => client.getQueryData<RecordSet<"player">>(recordsKey(orgId, "player"))?.byId.get(id);
}
