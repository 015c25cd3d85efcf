/** What can be done with a card. Each is shown at once, taken back where it is refused, and offers one step back. */
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useRef } from "react";
import { useOrganization } from "../client/session.ts";
import { type RecordSet, recordsKey } from "../records/record-cache.ts";
import { type RecordWriteOptions, useRecordWrite } from "../records/use-record-write.ts";
import { MOVE_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import type { Destination } from "./drop-plan.ts";
import type { RosterCard } from "./line-up.ts";
import { type PendingCards, usePendingCards } from "./pending-cards.ts";

export interface RosterMoves {
  readonly pending: PendingCards;
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

export interface CardActionSet extends Omit<RosterMoves, "pending" | "move"> {
  /** Opens the dialog. */
  readonly ask: (card: RosterCard) => void;
  readonly takeOut: (card: RosterCard) => void;
}

export function useRosterMoves(): RosterMoves {
  const { id: orgId } = useOrganization();
  const [pending, showWhile] = usePendingCards();
  const { move, takeBack } = usePlayerMoves();
  const lineUp = useRecordWrite("updateAssignment", {
    undo: "fields",
    says: ({ ign, isStarter, isCaptain }, { body }) => {
      if (body.isStarter !== undefined) return isStarter ? TEXTS.starts(ign) : TEXTS.substitutes(ign);
      return isCaptain ? TEXTS.isCaptainNow(ign) : TEXTS.isCaptainNoMore(ign);
    },
  });
  const status = useRecordWrite("updatePlayer", {
    undo: "fields",
    says: (player) => (player.status === "benched" ? TEXTS.benched(player.ign) : TEXTS.activated(player.ign)),
  });
  const findPlayer = useFindPlayer();
  const setFlags = (card: RosterCard, flags: Pick<Partial<RosterCard>, "isStarter" | "isCaptain">) => {
    if (card.assignmentId === null) return;
    const path = { orgId, recordId: card.assignmentId };
    void showWhile(card, flags, lineUp.mutateAsync({ path, body: { ...flags, updatedAt: card.updatedAt } }));
  };
  return {
    pending,
    move: (card, to) => void showWhile(card, showDestination(card, to), move(card, to)),
    setStarter: (card, isStarter) => setFlags(card, { isStarter }),
    setCaptain: (card, isCaptain) => setFlags(card, { isCaptain }),
    setStatus: (card, next) => {
      const player = findPlayer(card.playerId);
      if (player === undefined) return;
      const input = { path: { orgId, recordId: player.id }, body: { status: next, updatedAt: player.updatedAt } };
      void showWhile(card, { status: next }, status.mutateAsync(input));
    },
    takeBack,
  };
}

/** As the server will have it. */
function showDestination(card: RosterCard, to: Destination): Partial<RosterCard> {
  const { teamId, role, isStarter = startsByDefault(role), isCaptain = teamId === card.teamId && card.isCaptain } = to;
  return { teamId, role, kind: kindOfRole(role), isStarter, isCaptain };
}

/** What a move says when it is done, and what takes it back. `findBefore` knows the card as it was. */
export function useMoveOptions(
  findBefore: (playerId: string) => RosterCard | undefined,
): Pick<RecordWriteOptions<"movePlayer">, "says" | "undo"> {
  const findPlayer = useFindPlayer();
  return {
    says: ({ entry }, { path }) =>
      entry === null
        ? TEXTS.takenOut(findPlayer(path.recordId)?.ign ?? "")
        : TEXTS.moved(entry.ign, entry.teamName, entry.role),
    undo: ({ entry }, { path }) => {
      const before = findBefore(path.recordId);
      const updatedAt = entry?.updatedAt ?? findPlayer(path.recordId)?.updatedAt;
      if (before === undefined || updatedAt === undefined) return undefined;
      // One step back leaves the role as it is for somebody who had no team, and a role of a game means nothing without one.
      return before.teamId === null && before.role !== entry?.role
        ? { name: "movePlayer", input: { path, body: { teamId: null, role: before.role, updatedAt } } }
        : { name: "undoMove", input: { path, body: { updatedAt } } };
    },
  };
}

function usePlayerMoves() {
  const { id: orgId } = useOrganization();
  const findPlayer = useFindPlayer();
  const before = useRef(new Map<string, RosterCard>());
  const move = useRecordWrite(
    "movePlayer",
    useMoveOptions((playerId) => before.current.get(playerId)),
  );
  const back = useRecordWrite("undoMove", {
    says: (_, { path }) => TEXTS.takenBack(findPlayer(path.recordId)?.ign ?? ""),
  });
  return {
    move: (card: RosterCard, to: Destination) => {
      before.current.set(card.playerId, card);
      const path = { orgId, recordId: card.playerId };
      return move.mutateAsync({ path, body: { ...to, updatedAt: card.updatedAt } });
    },
    takeBack: (card: RosterCard) =>
      back.mutate({ path: { orgId, recordId: card.playerId }, body: { updatedAt: card.updatedAt } }),
  };
}

/** The player as the records have it at the moment of asking. */
function useFindPlayer() {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  return (id: string) => client.getQueryData<RecordSet<"player">>(recordsKey(orgId, "player"))?.byId.get(id);
}
