/** The terms of a contract as forms ask for them, of a new one, one that is edited, and one that a prospect is signed with. */
import type { Contract } from "@lineup/api/contracts";
import { CONTRACT_FORM_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import type { ContractKind, ContractStatus } from "./contracts-search.ts";

const NOTICE_MOST = 3_650;

export interface ContractTerms extends Record<string, unknown> {
  kind: ContractKind;
  status: ContractStatus;
  startDate: number | null;
  endDate: number | null;
  noticePeriodDays: string;
  autoRenew: boolean;
}

export function newTerms(startDate: number): ContractTerms {
  return { kind: "player", status: "draft", startDate, endDate: null, noticePeriodDays: "", autoRenew: false };
}

export function termsOf({ kind, status, startDate, endDate, noticePeriodDays, autoRenew }: Contract): ContractTerms {
  const notice = noticePeriodDays === null ? "" : String(noticePeriodDays);
  return { kind, status, startDate, endDate, noticePeriodDays: notice, autoRenew };
}

/** Only of terms that were found to be right. */
export function bodyOfTerms({ kind, status, startDate, endDate, noticePeriodDays, autoRenew }: ContractTerms) {
  return {
    ...{ kind, status, endDate, autoRenew },
    startDate: startDate ?? 0,
    noticePeriodDays: readNotice(noticePeriodDays) ?? null,
  };
}

export function checkTerms({ startDate, endDate, noticePeriodDays }: ContractTerms) {
  return {
    startDate: startDate === null ? TEXTS.startMissing : null,
    endDate: endDate !== null && startDate !== null && endDate < startDate ? TEXTS.endBeforeStart : null,
    noticePeriodDays: readNotice(noticePeriodDays) === undefined ? TEXTS.noticeUnread : null,
  };
}

/** Null for none, undefined for what is no number of days. */
function readNotice(text: string): number | null | undefined {
  const typed = text.trim();
  if (typed === "") return null;
  return /^\d{1,4}$/.test(typed) && Number(typed) <= NOTICE_MOST ? Number(typed) : undefined;
}
