/** How a key's state looks: always an icon and a word. Colour only helps. */
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
import type { Tone } from "../theme.ts";

export interface KeyStateLook {
  readonly tone: Tone;
  readonly icon: TablerIcon;
}

export const KEY_STATE_LOOKS: Readonly<Record<KeyState, KeyStateLook>> = {
  active: { tone: "good", icon: IconCircleCheck },
  "never used": { tone: "quiet", icon: IconCircleDashed },
  "expires soon": { tone: "warn", icon: IconClockExclamation },
  "rate limited": { tone: "warn", icon: IconGauge },
  rotating: { tone: "info", icon: IconRefresh },
  expired: { tone: "quiet", icon: IconCalendarX },
  revoked: { tone: "bad", icon: IconBan },
};

/** Whether requests with it are still answered. */
export function isWorking(key: Pick<KeyView, "state">): boolean {
  return key.state !== "revoked" && key.state !== "expired";
}

const SOON_MS = 14 * 86_400_000;

/** Keys that end within 14 days and have no successor yet: somebody has to act. Soonest first. */
export function listEndingKeys(keys: readonly KeyView[], now: number): KeyView[] {
  return keys
    .filter((key) => isWorking(key) && key.successorId === null && endsSoon(key.expiresAt, now))
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
}

export function endsSoon(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt > now && expiresAt - now <= SOON_MS;
}

const PROVEN_MS = 7 * 86_400_000;

/** Whether the key has been there and in use for long enough to tell what its tool does not need. */
export function isProven({ createdAt, lastUsedAt }: Pick<KeyView, "createdAt" | "lastUsedAt">, now: number): boolean {
  return lastUsedAt !== null && now - createdAt >= PROVEN_MS;
}
