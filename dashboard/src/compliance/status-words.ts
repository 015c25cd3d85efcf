/** What an HTTP status looks like: an icon, a tone, and the number itself. */
import { IconAlertTriangle, IconCircleCheck, IconCircleX, type TablerIcon } from "@tabler/icons-react";
import type { Tone } from "../theme.ts";

export interface StatusLook {
  readonly tone: Tone;
  readonly icon: TablerIcon;
}

export function lookOfStatus(status: number): StatusLook {
  if (status >= 500) return { tone: "bad", icon: IconCircleX };
  if (status >= 400) return { tone: "warn", icon: IconAlertTriangle };
  return { tone: "good", icon: IconCircleCheck };
}
