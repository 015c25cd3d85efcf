/**
 * What a card's menu offers. It is made when it opens: a board has hundreds of cards, and a menu for each would cost more than all else.
 * CardMenu { card, actions, onClose }; it stands in an element of its own over the button that opens it.
 */
import { Menu } from "@mantine/core";
import {
  IconArmchair,
  IconArrowBackUp,
  IconArrowsExchange,
  IconCrown,
  IconCrownOff,
  IconDoorExit,
  IconPlayerPlay,
  IconUser,
  IconUserMinus,
  IconUserPlus,
  type TablerIcon,
} from "@tabler/icons-react";
import type { Ref } from "react";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { useRecords } from "../records/use-records.ts";
import { CARD_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { MenuItemLink } from "../ui/links.tsx";
import { canTakeBack } from "./last-move.ts";
import type { RosterCard } from "./line-up.ts";
import classes from "./roster-board.module.css";
import type { CardActionSet } from "./use-roster-moves.ts";

export interface CardMenuProps {
  readonly card: RosterCard;
  readonly actions: CardActionSet;
  readonly onClose: () => void;
}

export function CardMenu({ card, actions, onClose }: CardMenuProps) {
  const { id: orgId } = useOrganization();
  // The board may be here before its players are.
  const isPlayerHere = useRecords("player").byId.has(card.playerId);
  return (
    <Menu opened onClose={onClose} position="bottom-end" floatingStrategy="fixed" width={220}>
      <Menu.Target>
        <MenuAnchor label={TEXTS.menu(card.ign)} />
      </Menu.Target>
      <Menu.Dropdown>
        {listItems(card, actions).map(([text, Shape, run, needsPlayer]) => (
          <Menu.Item
            key={text}
            leftSection={<Shape size={16} aria-hidden />}
            disabled={needsPlayer === true && !isPlayerHere}
            onClick={run}
          >
            {text}
          </Menu.Item>
        ))}
        <TakeBackItem card={card} actions={actions} />
        <MenuItemLink
          to="/orgs/$orgId/data/players/$playerId"
          params={{ orgId, playerId: card.playerId }}
          leftSection={<IconUser size={16} aria-hidden />}
        >
          {TEXTS.open}
        </MenuItemLink>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Where the player was before is not among the records that are followed; it is asked for when the menu opens. */
function TakeBackItem({ card, actions }: Pick<CardMenuProps, "card" | "actions">) {
  const { id: orgId } = useOrganization();
  const { data } = useAction("listAssignments", { path: { orgId, recordId: card.playerId } }, { staleTime: 0 });
  return (
    <Menu.Item
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      disabled={!canTakeBack(card, data?.items)}
      onClick={() => actions.takeBack(card)}
    >
      {TEXTS.takeBack}
    </Menu.Item>
  );
}

interface MenuAnchorProps {
  readonly label: string;
  readonly id?: string;
  readonly ref?: Ref<HTMLSpanElement>;
}

/** Gives the menu its position and its name. What else the menu says of its target stands at the button. */
function MenuAnchor({ label, id, ref }: MenuAnchorProps) {
  return (
    <span id={id} ref={ref} className={classes.anchor} aria-hidden>
      {label}
    </span>
  );
}

type Item = readonly [text: string, icon: TablerIcon, run: () => void, needsPlayer?: true];

function listItems(card: RosterCard, actions: CardActionSet): Item[] {
  const hasTeam = card.teamId !== null;
  const isActive = card.status === "active";
  return [
    [TEXTS.moveTo, IconArrowsExchange, () => actions.ask(card)],
    ...(hasTeam && card.kind === "player" ? listLineUpItems(card, actions) : []),
    isActive
      ? [TEXTS.bench, IconArmchair, () => actions.setStatus(card, "benched"), true]
      : [TEXTS.activate, IconPlayerPlay, () => actions.setStatus(card, "active"), true],
    ...(hasTeam ? [[TEXTS.takeOut, IconDoorExit, () => actions.takeOut(card)] as const] : []),
  ];
}

function listLineUpItems(card: RosterCard, actions: CardActionSet): Item[] {
  const { isStarter, isCaptain } = card;
  return [
    [
      isStarter ? TEXTS.makeSubstitute : TEXTS.makeStarter,
      isStarter ? IconUserMinus : IconUserPlus,
      () => actions.setStarter(card, !isStarter),
    ],
    [
      isCaptain ? TEXTS.endCaptain : TEXTS.makeCaptain,
      isCaptain ? IconCrownOff : IconCrown,
      () => actions.setCaptain(card, !isCaptain),
    ],
  ];
}
