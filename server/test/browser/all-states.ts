/** Every page in every state that is looked at, by tests and for pictures. */
import { COMPLIANCE_STATES } from "./compliance-states.ts";
import { CONTRACT_STATES } from "./contract-states.ts";
import { ENTRY_STATES } from "./entry-states.ts";
import { INSIDE_STATES } from "./inside-states.ts";
import type { PageState } from "./page-state.ts";
import { PLAYER_STATES } from "./player-states.ts";
import { PROSPECT_STATES } from "./prospect-states.ts";
import { ROSTER_STATES } from "./roster-states.ts";
import { SCHEDULE_STATES } from "./schedule-states.ts";
import { TRANSFER_STATES } from "./transfer-states.ts";
import { WEBHOOK_STATES } from "./webhook-states.ts";

export const ALL_STATES: readonly PageState[] = [
  ...ENTRY_STATES,
  ...INSIDE_STATES,
  ...COMPLIANCE_STATES,
  ...CONTRACT_STATES,
  ...PLAYER_STATES,
  ...PROSPECT_STATES,
  ...ROSTER_STATES,
  ...SCHEDULE_STATES,
  ...TRANSFER_STATES,
  ...WEBHOOK_STATES,
];
