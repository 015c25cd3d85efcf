/** From which moment on changes are sent again, as it is chosen. */
import type { DELIVERY_RETENTION_DAYS } from "@lineup/api/dashboard/webhooks";
import type { REPLAY_TEXTS } from "../texts/webhook-texts.ts";
import { readLocalTime } from "./time-range.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** As the server keeps them; the record itself would bring every schema along. */
export const RETENTION_DAYS: typeof DELIVERY_RETENTION_DAYS = 30;

export type ReplayChoice = keyof typeof REPLAY_TEXTS.choices;

const AGO_MS: Readonly<Partial<Record<ReplayChoice, number>>> = { "1h": HOUR_MS, "24h": DAY_MS, "7d": 7 * DAY_MS };

/** Undefined where no moment is chosen, or one that lies ahead or too far back. */
export function resolveSince(
  choice: ReplayChoice,
  { typed, trouble, now }: { readonly typed: string; readonly trouble: number | null; readonly now: number },
): number | undefined {
  if (choice === "trouble") return trouble ?? undefined;
  const ago = AGO_MS[choice];
  if (ago !== undefined) return now - ago;
  const at = readLocalTime(typed);
  return at === undefined || at > now || at < now - RETENTION_DAYS * DAY_MS ? undefined : at;
}
