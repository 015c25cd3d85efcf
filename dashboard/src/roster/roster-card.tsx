/**
 * A card on the board. Who may move it drags it, by its handle with the keyboard, or uses its menu; others see it and open the player.
 * Its parts are plain elements: columns of them are drawn while the board scrolls.
 */
import { useDraggable } from "@dnd-kit/react";
import { memo, use, useRef, useState } from "react";
import { useOrganization } from "../client/session.ts";
import { CARD_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { TextLink } from "../ui/links.tsx";
import { IconDotsVertical, IconGripVertical } from "../ui/row-icons.ts";
import type { Dragged, Spot } from "./board-spots.ts";
import { CardFace } from "./card-face.tsx";
import { CardMenu } from "./card-menu.tsx";
import { DRAG_HINT_ID } from "./drag-frame.tsx";
import type { RosterCard } from "./line-up.ts";
import classes from "./roster-board.module.css";
import { type CardActionSet, CardActions } from "./use-roster-moves.ts";

export interface BoardCardProps {
  readonly card: RosterCard;
  readonly from: Spot;
}

export const BoardCard = memo(function BoardCard({ card, from }: BoardCardProps) {
  const actions = use(CardActions);
  return actions === null ? <FixedCard card={card} /> : <MovableCard card={card} from={from} actions={actions} />;
});

function FixedCard({ card }: { readonly card: RosterCard }) {
  const { id: orgId } = useOrganization();
  return (
    <li>
      <CardFace
        card={card}
        name={
          <TextLink to="/orgs/$orgId/data/players/$playerId" params={{ orgId, playerId: card.playerId }} inherit>
            {card.ign}
          </TextLink>
        }
      />
    </li>
  );
}

interface MovableCardProps extends BoardCardProps {
  readonly actions: CardActionSet;
}

function MovableCard({ card, from, actions }: MovableCardProps) {
  const data: Dragged = { card, from };
  const { ref, handleRef, isDragSource } = useDraggable({ id: card.playerId, data: { ...data } });
  const [isMenuOpen, setMenuOpen] = useState(false);
  return (
    <li
      ref={ref}
      data-card={card.playerId}
      data-source={isDragSource || undefined}
      data-menu={isMenuOpen || undefined}
      className={classes.movable}
    >
      <CardFace
        card={card}
        before={
          <button
            ref={handleRef}
            type="button"
            className={classes.control}
            aria-label={TEXTS.drag(card.ign)}
            aria-describedby={DRAG_HINT_ID}
            data-part="handle"
          >
            <IconGripVertical size={16} aria-hidden />
          </button>
        }
        after={<MenuButton card={card} actions={actions} isOpen={isMenuOpen} setOpen={setMenuOpen} />}
      />
    </li>
  );
}

interface MenuButtonProps extends Omit<MovableCardProps, "from"> {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

function MenuButton({ card, actions, isOpen, setOpen }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  };
  return (
    <span className={classes.menu}>
      <button
        ref={button}
        type="button"
        className={classes.control}
        aria-label={TEXTS.menu(card.ign)}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        data-part="menu"
      >
        <IconDotsVertical size={16} aria-hidden />
      </button>
      {isOpen && <CardMenu card={card} actions={actions} onClose={close} />}
    </span>
  );
}
