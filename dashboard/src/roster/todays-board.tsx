/** The board of today, on which cards are moved by those who may. */
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useAllows } from "../client/session.ts";
import { useRecords } from "../records/use-records.ts";
import { BoardLoading, NothingShown } from "./board-notices.tsx";
import type { Dragged, Spot } from "./board-spots.ts";
import { followCard } from "./card-focus.ts";
import { DragFrame } from "./drag-frame.tsx";
import { planDrop } from "./drop-plan.ts";
import type { RosterCard } from "./line-up.ts";
import { MoveDialog, type MoveQuestion } from "./move-dialog.tsx";
import { BoardView } from "./roster-board.tsx";
import type { RosterSearch, RosterSearchChange } from "./roster-search.ts";
import type { TodaysRoster } from "./use-roster-board.ts";
import { type CardActionSet, CardActions, type RosterMoves, TouchedCards } from "./use-roster-moves.ts";

export interface TodaysBoardProps {
  readonly today: TodaysRoster;
  readonly moves: RosterMoves;
  readonly search: RosterSearch;
  readonly setSearch: (change: RosterSearchChange) => void;
}

export function TodaysBoard({ today, moves, search, setSearch }: TodaysBoardProps) {
  const mayManage = useAllows("data:manage");
  const [question, setQuestion] = useState<MoveQuestion | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const touch = useCallback(({ playerId }: RosterCard) => setTouched((ids) => new Set(ids).add(playerId)), []);
  const { actions, drop } = useCardActions(moves, setQuestion, touch);
  const closeQuestion = () => {
    setQuestion(null);
    if (question !== null) followCard(question.card.playerId, "menu");
  };
  const onSearch = useCallback((q: string | undefined) => setSearch({ q }), [setSearch]);
  const { board, isComplete } = today;
  if (board === undefined) return <BoardLoading failure={today.failure} onRetry={today.retry} />;
  if (board.columns.length === 0 && isComplete) return <NothingShown setSearch={setSearch} />;
  return (
    <CardActions value={mayManage ? actions : null}>
      <TouchedCards value={touched}>
        <DragFrame onDrop={drop} onDragged={setDragged}>
          <BoardView
            board={board}
            loose={{ q: search.q, onSearch }}
            isComplete={isComplete}
            draggedFrom={dragged?.from.column}
          />
        </DragFrame>
      </TouchedCards>
      {question !== null && <MoveDialog question={question} onClose={closeQuestion} />}
    </CardActions>
  );
}

/** They stay the same object, so that no card is drawn again because another one moves. */
function useCardActions(moves: RosterMoves, ask: (question: MoveQuestion) => void, touch: (card: RosterCard) => void) {
  const { byId: teams } = useRecords("team");
  const latest = useRef({ moves, teams });
  useLayoutEffect(() => {
    latest.current = { moves, teams };
  });
  return useMemo(() => {
    const carryOut = (card: RosterCard, spot: Pick<Spot, "team" | "section">) => {
      touch(card);
      const { moves: current, teams: known } = latest.current;
      const game = (card.teamId === null ? undefined : known.get(card.teamId)?.game) ?? "Other";
      const plan = planDrop(card, game, spot);
      if (plan.does === "move") current.move(card, plan.to);
      if (plan.does === "line-up") current.setStarter(card, plan.isStarter);
      if (plan.does === "ask") ask({ card, teamId: plan.teamId, section: plan.section });
    };
    const fromMenu = (card: RosterCard, run: (current: RosterMoves) => void) => {
      touch(card);
      run(latest.current.moves);
      followCard(card.playerId, "menu");
    };
    const actions: CardActionSet = {
      ask: (card) => {
        touch(card);
        ask({ card, teamId: card.teamId, section: undefined });
      },
      takeOut: (card) => fromMenu(card, () => carryOut(card, { team: null })),
      setStarter: (card, isStarter) => fromMenu(card, (current) => current.setStarter(card, isStarter)),
      setCaptain: (card, isCaptain) => fromMenu(card, (current) => current.setCaptain(card, isCaptain)),
      setStatus: (card, status) => fromMenu(card, (current) => current.setStatus(card, status)),
      takeBack: (card) => fromMenu(card, (current) => current.takeBack(card)),
    };
    const drop = ({ card }: Dragged, spot: Spot) => {
      carryOut(card, spot);
      followCard(card.playerId, "handle");
    };
    return { actions, drop };
  }, [ask, touch]);
}
