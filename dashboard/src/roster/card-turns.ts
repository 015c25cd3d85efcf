/**
 * What one does with a card waits for what one did with it before, and builds on the versions that this made: a move changes the
 * player too, and benching the player the card. Where the card is not as the person saw it by then, somebody else has changed it: then the write
 * names the version that was seen, and meets the conflict as ever.
 */
import type { Player } from "@lineup/api/players";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useOrganization } from "../client/session.ts";
import { type RecordSet, recordsKey } from "../records/record-cache.ts";
import { cardOfEntry, cardOfPlayer, type RosterCard } from "./line-up.ts";

/** The versions that a write names. */
interface SeenCard {
  readonly card: RosterCard;
  readonly player: Player | undefined;
}

export type CardTurns = (card: RosterCard, write: (seen: SeenCard) => Promise<unknown>) => Promise<unknown>;

export function useCardTurns(): CardTurns {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  const underWay = useRef(new Map<string, Promise<unknown>>());
  const find = (playerId: string): SeenCard | undefined => {
    const player = client.getQueryData<RecordSet<"player">>(recordsKey(orgId, "player"))?.byId.get(playerId);
    const entries = client.getQueryData<RecordSet<"assignment">>(recordsKey(orgId, "assignment"))?.byId.values();
    const entry = entries?.find((one) => one.playerId === playerId);
    if (entry !== undefined) return { card: cardOfEntry(entry), player };
    return player && { card: cardOfPlayer(player), player };
  };
  return (card, write) => {
    const { playerId } = card;
    const seen: SeenCard = { card, player: find(playerId)?.player };
    const before = underWay.current.get(playerId);
    const writeLater = async () => {
      await before?.catch(() => undefined);
      const now = find(playerId);
      return write(now !== undefined && looksSame(now.card, card) ? now : seen);
    };
    const turn = before === undefined ? write(seen) : writeLater();
    underWay.current.set(playerId, turn);
    const end = () => {
      if (underWay.current.get(playerId) === turn) underWay.current.delete(playerId);
    };
    turn.then(end, end);
    return turn;
  };
}

/** Whatever a person can see of a card. */
function looksSame(a: RosterCard, b: RosterCard): boolean {
  const words = ({ ign, realName, teamId, role, kind, status, isStarter, isCaptain }: RosterCard) =>
    JSON.stringify([ign, realName, teamId, role, kind, status, isStarter, isCaptain]);
  return words(a) === words(b);
}
