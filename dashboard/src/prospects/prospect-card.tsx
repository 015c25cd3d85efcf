/** A prospect on the board: dragged by any part of it but its menu; a press opens it. */
import { useDraggable } from "@dnd-kit/react";
import type { Prospect } from "@lineup/api/prospects";
import { Menu, VisuallyHidden } from "@mantine/core";
import { IconClock, IconDots, IconUser } from "@tabler/icons-react";
import { type ComponentPropsWithRef, type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import { STAGE_NAMES, BOARD_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import classes from "./prospect-board.module.css";
import { PriorityWord, Rating, STAGE_LOOKS } from "./prospect-looks.tsx";
import { daysInStage, STAGES, type Stage } from "./prospects-search.ts";

export interface CardActions {
  readonly onOpen: (prospect: Prospect) => void;
  /** Undefined for those who may only look. */
  readonly onMove: ((prospect: Prospect, stage: Stage) => void) | undefined;
}

export interface ProspectCardProps extends CardActions {
  readonly prospect: Prospect;
  readonly now: number;
}

export const ProspectCard = memo(function ProspectCard({ prospect, now, onOpen, onMove }: ProspectCardProps) {
  const { ref, isDragSource } = useDraggable({ id: prospect.id, data: { prospect }, disabled: onMove === undefined });
  const moveByKey = (event: KeyboardEvent) => {
    const beside = event.shiftKey ? findStageBeside(prospect.stage, event.key) : undefined;
    if (beside === undefined || onMove === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onMove(prospect, beside);
  };
  return (
    <li ref={ref} className={classes.card} data-dragged={isDragSource || undefined} data-fixed={onMove === undefined}>
      <div className={classes.cardHead}>
        <button
          type="button"
          className={classes.open}
          data-card={prospect.id}
          onKeyDown={moveByKey}
          onClick={(event) => {
            // The end of a drag is no press.
            if (!event.defaultPrevented) onOpen(prospect);
          }}
        >
          {prospect.ign}
        </button>
        {onMove !== undefined && <CardMenu prospect={prospect} onOpen={onOpen} onMove={onMove} />}
      </div>
      <CardFacts prospect={prospect} now={now} />
    </li>
  );
});

function findStageBeside(stage: Stage, key: string): Stage | undefined {
  const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
  return step === 0 ? undefined : STAGES[STAGES.indexOf(stage) + step];
}

function CardFacts({ prospect, now }: Pick<ProspectCardProps, "prospect" | "now">) {
  const { game, role, priority, rating, assignedTo } = prospect;
  const days = daysInStage(prospect, now);
  return (
    <>
      <div className={classes.line}>{[game, role].filter((part) => part !== null).join(" · ")}</div>
      <div className={classes.facts}>
        <PriorityWord priority={priority} />
        <Rating rating={rating} />
        <span className={classes.days} title={TEXTS.daysInFull(days)}>
          <IconClock size={13} aria-hidden />
          {TEXTS.days(days)}
        </span>
      </div>
      {assignedTo !== null && assignedTo !== "" && (
        <div className={classes.assigned}>
          <IconUser size={13} aria-hidden /> <VisuallyHidden>{TEXTS.assignedTo}</VisuallyHidden> {assignedTo}
        </div>
      )}
    </>
  );
}

interface CardMenuProps {
  readonly prospect: Prospect;
  readonly onOpen: (prospect: Prospect) => void;
  readonly onMove: (prospect: Prospect, stage: Stage) => void;
}

/** A menu costs more than the rest of its card: it is made when it is first asked for. */
function CardMenu(props: CardMenuProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <div data-undraggable>
      {isAsked ? (
        <MadeMenu {...props} />
      ) : (
        <MenuButton
          aria-haspopup="menu"
          aria-expanded={false}
          aria-label={TEXTS.menu(props.prospect.ign)}
          onClick={() => setAsked(true)}
        />
      )}
    </div>
  );
}

function MenuButton(props: ComponentPropsWithRef<"button">) {
  return (
    <button type="button" {...props} className={classes.menuButton}>
      <IconDots size={16} aria-hidden />
    </button>
  );
}

function MadeMenu({ prospect, onOpen, onMove }: CardMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // In the stead of the button that asked for it.
    button.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" floatingStrategy="fixed">
      <Menu.Target>
        <MenuButton ref={button} aria-label={TEXTS.menu(prospect.ign)} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen(prospect)}>{TEXTS.open}</Menu.Item>
        {STAGES.filter((stage) => stage !== prospect.stage).map((stage) => {
          const IconShape = STAGE_LOOKS[stage].icon;
          return (
            <Menu.Item
              key={stage}
              leftSection={<IconShape size={14} aria-hidden />}
              onClick={() => onMove(prospect, stage)}
            >
              {stage === "signed" ? TEXTS.sign : TEXTS.moveTo(STAGE_NAMES[stage])}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
