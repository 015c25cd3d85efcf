/**
 * Which contracts need somebody to decide, and by when. An active contract that ends within 90 days does, unless the next one is signed already; so
 * does one whose start has come while it is still a draft or pending. Who may give notice has to decide before the notice period begins.
 */
import type { Contract } from "@lineup/api/contracts";

const DAY_MS = 86_400_000;

/** How long before its end a contract is told of, soonest first. */
export const ALERT_DAYS = [30, 60, 90] as const;
export type AlertDays = (typeof ALERT_DAYS)[number];

export type DecidedContract = Pick<
  Contract,
  "id" | "playerId" | "status" | "startDate" | "endDate" | "noticePeriodDays"
>;

export interface ContractDecision<C extends DecidedContract = Contract> {
  readonly contract: C;
  /** What is to be decided: what follows its end, or whether it starts at all. */
  readonly about: "end" | "start";
  /** The last moment at which there is a choice: that of notice where it lies ahead, else the end; of what is not signed, its start. */
  readonly dueAt: number;
  /** Which of the alerts it has come to; null for one about a start. */
  readonly alert: AlertDays | null;
}

/** As of now: time ends a contract whether or not anybody has written so. */
export function statusAt({ status, endDate }: Pick<Contract, "status" | "endDate">, now: number): Contract["status"] {
  return status === "active" && endDate !== null && endDate <= now ? "expired" : status;
}

/** Until when notice can be given; null where there is none to give. */
export function noticeDeadlineOf({
  endDate,
  noticePeriodDays,
}: Pick<Contract, "endDate" | "noticePeriodDays">): number | null {
  return endDate === null || noticePeriodDays === null ? null : endDate - noticePeriodDays * DAY_MS;
}

/** The alert that an active contract has come to, if any. */
export function alertOf(contract: Pick<Contract, "status" | "endDate">, now: number): AlertDays | null {
  const { endDate } = contract;
  if (endDate === null || statusAt(contract, now) !== "active") return null;
  return ALERT_DAYS.find((days) => endDate - now <= days * DAY_MS) ?? null;
}

/** The player's contract that goes on where this one ends, whatever its state: nothing else ties a renewal to what it renews. */
export function findNextContract<C extends DecidedContract>(
  { id, playerId, endDate }: DecidedContract,
  contracts: readonly C[],
): C | undefined {
  if (endDate === null) return undefined;
  return contracts
    .filter((next) => next.playerId === playerId && next.id !== id && next.startDate >= endDate)
    .filter(({ status }) => status !== "terminated")
    .sort((one, other) => one.startDate - other.startDate)[0];
}

/** All that need a decision, the most urgent first. */
export function listDecisions<C extends DecidedContract>(contracts: readonly C[], now: number): ContractDecision<C>[] {
  const isFollowed = findFollowed(contracts);
  return contracts
    .flatMap((contract) => (isFollowed(contract) ? [] : (findDecision(contract, now) ?? [])))
    .sort((one, other) => one.dueAt - other.dueAt);
}

function findDecision<C extends DecidedContract>(contract: C, now: number): ContractDecision<C> | undefined {
  const { status, startDate, endDate } = contract;
  if (status === "draft" || status === "pending") {
    return startDate <= now ? { contract, about: "start", dueAt: startDate, alert: null } : undefined;
  }
  const alert = alertOf(contract, now);
  if (alert === null || endDate === null) return undefined;
  const noticeBy = noticeDeadlineOf(contract);
  return { contract, about: "end", dueAt: noticeBy !== null && noticeBy > now ? noticeBy : endDate, alert };
}

/** Whether the player has a signed contract that goes on where this one ends. */
function findFollowed(contracts: readonly DecidedContract[]): (contract: DecidedContract) => boolean {
  const lastStarts = new Map<string, number>();
  for (const { playerId, status, startDate } of contracts) {
    if (status !== "active") continue;
    lastStarts.set(playerId, Math.max(startDate, lastStarts.get(playerId) ?? startDate));
  }
  return ({ playerId, status, startDate, endDate }) => {
    const next = lastStarts.get(playerId);
    return status === "active" && endDate !== null && next !== undefined && next >= endDate && next > startDate;
  };
}
