/**
 * What is shown of a card between a drop and the moment when the records show it. A card never jumps: until a write is answered it stands
 * where it was dropped, from then on where the records say, and where the write is refused it is back at once.
 */
import { useCallback, useState } from "react";
import type { RosterCard } from "./line-up.ts";

export interface PendingCard {
  readonly before: RosterCard;
  readonly shown: Partial<RosterCard>;
  /** Whether the server has taken it; then the records follow. */
  readonly isTaken: boolean;
}

export type PendingCards = ReadonlyMap<string, PendingCard>;

/** A write that changed nothing is followed by nothing. */
const FOLLOWED_WITHIN_MS = 3_000;

export function applyPending(card: RosterCard, pending: PendingCards): RosterCard {
  const one = pending.get(card.playerId);
  if (one === undefined) return card;
  const isFollowed = card.updatedAt !== one.before.updatedAt || card.assignmentId !== one.before.assignmentId;
  return one.isTaken && isFollowed ? card : { ...card, ...one.shown };
}

/** Shows a card otherwise while `write` is under way. */
export type ShowWhile = (card: RosterCard, shown: Partial<RosterCard>, write: Promise<unknown>) => Promise<void>;

export function usePendingCards(): [PendingCards, ShowWhile] {
  const [pending, setPending] = useState<PendingCards>(new Map());
  const showWhile = useCallback<ShowWhile>(async (before, shown, write) => {
    const { playerId } = before;
    const set = (one: PendingCard | undefined) =>
      setPending((all) => {
        const next = new Map(all);
        if (one === undefined) next.delete(playerId);
        else next.set(playerId, one);
        return next;
      });
    set({ before, shown, isTaken: false });
    try {
      await write;
    } catch {
      // Why is told by who writes.
      set(undefined);
      return;
    }
    const taken = { before, shown, isTaken: true };
    set(taken);
    setTimeout(() => setPending((all) => new Map([...all].filter(([, one]) => one !== taken))), FOLLOWED_WITHIN_MS);
  }, []);
  return [pending, showWhile];
}
