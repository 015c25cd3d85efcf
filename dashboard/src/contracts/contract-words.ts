/** Contracts and decisions in words, for those who do not see their bars, and at a glance for those who do. */
import type { Contract } from "@lineup/api/contracts";
import { CONTRACT_STATUS_NAMES, CONTRACT_WORDS, DECISION_TEXTS } from "../texts/contract-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import { sayDaysUntil, sayUtcDay } from "../ui/time-words.ts";
import { type ContractDecision, noticeDeadlineOf, statusAt } from "./contract-decisions.ts";

/** "Active player contract of Vex, Lions, from 1 Jan 2026 to 31 Dec 2026, notice by 1 Dec 2026". */
export function sayContract(contract: Contract, teamName: string | undefined, now: number): string {
  const { playerIgn, kind, startDate, endDate, autoRenew, terminatedAt } = contract;
  const status = statusAt(contract, now);
  const noticeBy = status === "active" ? noticeDeadlineOf(contract) : null;
  const parts = [
    CONTRACT_WORDS.head(CONTRACT_STATUS_NAMES[status], CONTRACT_KIND_NAMES[kind].toLowerCase(), playerIgn),
    teamName,
    endDate === null
      ? CONTRACT_WORDS.openSpan(sayUtcDay(startDate))
      : CONTRACT_WORDS.span(sayUtcDay(startDate), sayUtcDay(endDate)),
    terminatedAt === null ? undefined : CONTRACT_WORDS.terminated(sayUtcDay(terminatedAt)),
    noticeBy === null ? undefined : CONTRACT_WORDS.noticeBy(sayUtcDay(noticeBy)),
    autoRenew ? CONTRACT_WORDS.renews : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** "Draft from 31 Dec 2026". */
export function sayNext(next: Contract, now: number): string {
  return CONTRACT_WORDS.next(CONTRACT_STATUS_NAMES[statusAt(next, now)], sayUtcDay(next.startDate));
}

/** "Ends in 20 days · notice by 1 Dec 2026". */
export function sayDecision({ contract, about }: ContractDecision, now: number): string {
  const { endDate, startDate } = contract;
  if (about === "start" || endDate === null) return DECISION_TEXTS.start(sayUtcDay(startDate));
  const ends = DECISION_TEXTS.ends(sayDaysUntil(endDate, now));
  const noticeBy = noticeDeadlineOf(contract);
  if (noticeBy === null) return ends;
  const notice = noticeBy > now ? DECISION_TEXTS.noticeBy(sayUtcDay(noticeBy)) : DECISION_TEXTS.noticeOver;
  return `${ends} · ${notice}`;
}
