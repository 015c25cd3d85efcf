/** How contracts look. Always an icon and a word; colour only helps. */
import type { Contract } from "@lineup/api/contracts";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconClockOff,
  type TablerIcon,
} from "@tabler/icons-react";
import { CONTRACT_STATUS_NAMES } from "../texts/contract-texts.ts";
import type { Tone } from "../theme.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { type ContractDecision, statusAt } from "./contract-decisions.ts";
import classes from "./contract-looks.module.css";
import { sayDecision } from "./contract-words.ts";
import type { ContractStatus } from "./contracts-search.ts";

export const CONTRACT_LOOKS: Readonly<Record<ContractStatus, { readonly tone: Tone; readonly icon: TablerIcon }>> = {
  draft: { tone: "quiet", icon: IconCircleDashed },
  pending: { tone: "info", icon: IconClock },
  active: { tone: "good", icon: IconCircleCheck },
  expired: { tone: "quiet", icon: IconClockOff },
  terminated: { tone: "bad", icon: IconCircleX },
};

export interface ContractStatusBadgeProps {
  readonly contract: Contract;
  readonly now: number;
}

export function ContractStatusBadge({ contract, now }: ContractStatusBadgeProps) {
  const status = statusAt(contract, now);
  return <StatusBadge {...CONTRACT_LOOKS[status]} word={CONTRACT_STATUS_NAMES[status]} />;
}

export interface DecisionNoteProps {
  readonly decision: ContractDecision;
  readonly now: number;
}

/** What has to be decided, and by when. */
export function DecisionNote({ decision, now }: DecisionNoteProps) {
  return (
    <div className={classes.decision} data-urgent={decision.alert === 30 || undefined}>
      <IconAlertTriangle size={14} aria-hidden />
      <span>{sayDecision(decision, now)}</span>
    </div>
  );
}
