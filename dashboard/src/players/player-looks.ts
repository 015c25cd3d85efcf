/** How a player's statuses look: always an icon and a word; colour only helps. */
import type { Player } from "@lineup/api/players";
import { CONTRACT_STATUS_WORDS, STATUS_WORDS } from "../texts/player-texts.ts";
import {
  IconArmchair,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClockX,
  IconMessages,
  IconPlayerPause,
} from "../ui/row-icons.ts";
import type { StatusWordProps } from "../ui/status-word.tsx";

type Look = Omit<StatusWordProps, "word">;

const STATUS_LOOKS: Readonly<Record<Player["status"], Look>> = {
  active: { icon: IconCircleCheck, tone: "good" },
  benched: { icon: IconArmchair, tone: "warn" },
  inactive: { icon: IconPlayerPause, tone: "quiet" },
};

const CONTRACT_LOOKS: Readonly<Record<Player["contractStatus"], Look>> = {
  unsigned: { icon: IconCircleDashed, tone: "quiet" },
  in_negotiation: { icon: IconMessages, tone: "info" },
  active: { icon: IconCircleCheck, tone: "good" },
  expired: { icon: IconClockX, tone: "warn" },
  terminated: { icon: IconCircleX, tone: "bad" },
};

export const PLAYER_STATUSES = Object.keys(STATUS_LOOKS) as readonly Player["status"][];
export const CONTRACT_STATUSES = Object.keys(CONTRACT_LOOKS) as readonly Player["contractStatus"][];

export const lookOfStatus = (status: Player["status"]): StatusWordProps => ({
  ...STATUS_LOOKS[status],
  word: STATUS_WORDS[status],
});

export const lookOfContract = (status: Player["contractStatus"]): StatusWordProps => ({
  ...CONTRACT_LOOKS[status],
  word: CONTRACT_STATUS_WORDS[status],
});

export const STATUS_CHOICES = PLAYER_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] }));
export const CONTRACT_CHOICES = CONTRACT_STATUSES.map((value) => ({ value, label: CONTRACT_STATUS_WORDS[value] }));
