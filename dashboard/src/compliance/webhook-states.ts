/** How webhooks, deliveries and attempts look and read. Always an icon and a word; colour only helps. */
import type { AttemptView, DeliveryState, WebhookState, WebhookView } from "@lineup/api/dashboard/webhooks";
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconRefresh,
  type TablerIcon,
} from "@tabler/icons-react";
import { ATTEMPT_ADVICE, WEBHOOKS_TEXTS } from "../texts/webhook-texts.ts";
import type { Tone } from "../theme.ts";
import { sayDuration } from "../ui/number-words.ts";

export interface StateLook {
  readonly tone: Tone;
  readonly icon: TablerIcon;
}

export const WEBHOOK_STATE_LOOKS: Readonly<Record<WebhookState, StateLook>> = {
  active: { tone: "good", icon: IconCircleCheck },
  new: { tone: "quiet", icon: IconCircleDashed },
  rotating: { tone: "info", icon: IconRefresh },
  failing: { tone: "warn", icon: IconAlertTriangle },
  disabled: { tone: "bad", icon: IconBan },
};

export const DELIVERY_STATE_LOOKS: Readonly<Record<DeliveryState, StateLook>> = {
  waiting: { tone: "info", icon: IconClock },
  delivered: { tone: "good", icon: IconCircleCheck },
  failed: { tone: "bad", icon: IconCircleX },
};

const DAY_MS = 86_400_000;
/** An endpoint that has failed for so long is disabled. */
const GIVEN_UP_MS = 5 * DAY_MS;
const GONE = 410;

/** Those that fail, or were disabled because they did: somebody has to act. What a person disabled is as they wanted it. */
export function listTroubled(webhooks: readonly WebhookView[]): WebhookView[] {
  return webhooks.filter((webhook) => webhook.state === "failing" || wasGivenUp(webhook));
}

function wasGivenUp({ disabledAt, failingSince, lastAttempt }: WebhookView): boolean {
  if (disabledAt === null || failingSince === null) return false;
  return disabledAt - failingSince >= GIVEN_UP_MS || lastAttempt?.status === GONE;
}

export function summarizeTypes(types: WebhookView["types"]): string {
  return types === null ? WEBHOOKS_TEXTS.allTypes : WEBHOOKS_TEXTS.someTypes(types.length);
}

/** "200 in 84 ms", "No answer in 15 s". */
export function sayAnswer({ status, durationMs }: Pick<AttemptView, "status" | "durationMs">): string {
  return `${status ?? WEBHOOKS_TEXTS.noAnswer} in ${sayDuration(durationMs)}`;
}

/** What was wrong; faults read on from "The endpoint". Null where all went well. */
export function sayFault({ fault }: Pick<AttemptView, "fault">): string | null {
  return fault === null ? null : `The endpoint ${fault}.`;
}

/** What was wrong and what to do about it. Null where all went well. */
export function explainAttempt(attempt: Pick<AttemptView, "fault" | "status">): string | null {
  const fault = sayFault(attempt);
  return fault === null ? null : `${fault} ${adviseOn(attempt.status)}`;
}

const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 503, 504]);

export function adviseOn(status: number | null): string {
  if (status === null) return ATTEMPT_ADVICE.unreached;
  if (status >= 300 && status < 400) return ATTEMPT_ADVICE.moved;
  if (status === 400 || status === 401 || status === 403) return ATTEMPT_ADVICE.refused;
  if (status === 404 || status === 405) return ATTEMPT_ADVICE.noPath;
  if (status === 410) return ATTEMPT_ADVICE.gone;
  if (BUSY.has(status)) return ATTEMPT_ADVICE.busy;
  return status >= 500 ? ATTEMPT_ADVICE.broken : ATTEMPT_ADVICE.other;
}

export function describeRecent(recent: WebhookView["recent"]): string {
  const count = (state: DeliveryState) => recent.filter((each) => each === state).length;
  if (recent.length === 0) return WEBHOOKS_TEXTS.recentNone;
  return WEBHOOKS_TEXTS.recentSome(recent.length, count("delivered"), count("waiting"), count("failed"));
}
