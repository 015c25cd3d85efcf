/** What a key's state is called, looks like and asks for. A state is always an icon and a word; colour only helps. */
import type { KeyState, KeyView } from "@lineup/api/dashboard/keys";
import {
  IconBan,
  IconCalendarX,
  IconCircleCheck,
  IconCircleDashed,
  IconClockExclamation,
  IconGauge,
  IconRefresh,
  type TablerIcon,
} from "@tabler/icons-react";

export interface KeyStateLook {
  readonly word: string;
  readonly color: string;
  readonly icon: TablerIcon;
  /** What it means, and what to do. */
  readonly advice: string;
}

export const KEY_STATE_LOOKS: Readonly<Record<KeyState, KeyStateLook>> = {
  active: {
    word: "Active",
    color: "teal",
    icon: IconCircleCheck,
    advice: "In use and within its limits. There is nothing to do.",
  },
  "never used": {
    word: "Never used",
    color: "gray",
    icon: IconCircleDashed,
    advice: "No request has come with this key yet. Put it into your tool, or revoke it if nobody needs it.",
  },
  "expires soon": {
    word: "Expires soon",
    color: "yellow",
    icon: IconClockExclamation,
    advice: "It ends within 14 days. Rotate it now, so that nothing stops when it ends.",
  },
  "rate limited": {
    word: "Rate limited",
    color: "orange",
    icon: IconGauge,
    advice:
      "One of its windows is full and requests are refused. Have the tool ask less often, or ask your operator for a larger tier.",
  },
  rotating: {
    word: "Rotating",
    color: "blue",
    icon: IconRefresh,
    advice: "A successor has taken its place. Put the new key into your tool before the old one stops working.",
  },
  expired: {
    word: "Expired",
    color: "gray",
    icon: IconCalendarX,
    advice: "It has ended and its requests are refused. Create a new key if something still needs one.",
  },
  revoked: {
    word: "Revoked",
    color: "red",
    icon: IconBan,
    advice: "It was revoked for good and its requests are refused. Create a new key if something still needs one.",
  },
};

/** Whether requests with it are still answered. */
export function isWorking(key: Pick<KeyView, "state">): boolean {
  return key.state !== "revoked" && key.state !== "expired";
}

export const SOON_MS = 14 * 86_400_000;

/** Keys that end within 14 days and have no successor yet: somebody has to act. Soonest first. */
export function listEndingKeys(keys: readonly KeyView[], now: number): KeyView[] {
  return keys
    .filter((key) => isWorking(key) && key.successorId === null && endsWithin(key, now, SOON_MS))
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
}

function endsWithin(key: KeyView, now: number, spanMs: number): boolean {
  return key.expiresAt !== null && key.expiresAt > now && key.expiresAt - now <= spanMs;
}
