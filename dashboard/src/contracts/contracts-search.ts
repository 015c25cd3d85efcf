/** What Contracts has in its address, and which contracts that shows, in which order. */
import type { Contract } from "@lineup/api/contracts";
import { dropUnset, readChoice, readText } from "../compliance/search-values.ts";
import { CONTRACT_STATUS_NAMES } from "../texts/contract-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import { ALERT_DAYS, alertOf, type ContractDecision, listDecisions, statusAt } from "./contract-decisions.ts";
import { lastMomentOf } from "./timeline-geometry.ts";

export type ContractStatus = Contract["status"];
export type ContractKind = Contract["kind"];

export const STATUSES = Object.keys(CONTRACT_STATUS_NAMES) as readonly ContractStatus[];
export const KINDS = Object.keys(CONTRACT_KIND_NAMES) as readonly ContractKind[];
export const ALERTS = ["decision", "30", "60", "90"] as const;
export type Alert = (typeof ALERTS)[number];
export const SPANS = ["1", "2", "5"] as const;
/** Years that the time line shows. */
export type Span = (typeof SPANS)[number];
/** Stands for contracts without a team. */
export const NO_TEAM = "none";

export interface ContractsSearch {
  readonly q?: string;
  readonly status?: ContractStatus;
  readonly kind?: ContractKind;
  readonly team?: string;
  readonly alert?: Alert;
  readonly view?: "table";
  readonly span?: Span;
  readonly sort?: string;
  readonly open?: string;
}

export function readContractsSearch(search: Readonly<Record<string, unknown>>): ContractsSearch {
  return dropUnset({
    q: readText(search.q),
    status: readChoice(search.status, STATUSES),
    kind: readChoice(search.kind, KINDS),
    team: readText(search.team),
    alert: readChoice(search.alert, ALERTS),
    view: readChoice(search.view, ["table"] as const),
    span: readChoice(search.span, SPANS),
    sort: readText(search.sort),
    open: readText(search.open),
  });
}

export type Decisions = ReadonlyMap<string, ContractDecision>;

/** By the contract's id, the most urgent first. */
export function findDecisions(contracts: readonly Contract[], now: number): Decisions {
  return new Map(listDecisions(contracts, now).map((decision) => [decision.contract.id, decision]));
}

export function isAlerted(contract: Contract, alert: Alert, decisions: Decisions, now: number): boolean {
  if (alert === "decision") return decisions.has(contract.id);
  const reached = alertOf(contract, now);
  return reached !== null && reached <= Number(alert);
}

export function countAlerts(
  contracts: readonly Contract[],
  decisions: Decisions,
  now: number,
): Readonly<Record<Alert, number>> {
  const counts = { decision: decisions.size, "30": 0, "60": 0, "90": 0 };
  for (const contract of contracts) {
    const reached = alertOf(contract, now);
    for (const days of ALERT_DAYS) if (reached !== null && reached <= days) counts[`${days}`] += 1;
  }
  return counts;
}

export type ContractFilterValues = {
  readonly [K in "q" | "status" | "kind" | "team" | "alert"]?: ContractsSearch[K] | undefined;
};

export function filterContracts(
  contracts: readonly Contract[],
  { q = "", status, kind, team, alert }: ContractFilterValues,
  decisions: Decisions,
  now: number,
): Contract[] {
  const words = q.toLowerCase().split(/\s+/);
  return contracts.filter(
    (contract) =>
      (status === undefined || statusAt(contract, now) === status) &&
      (kind === undefined || contract.kind === kind) &&
      (team === undefined || (contract.teamId ?? NO_TEAM) === team) &&
      (alert === undefined || isAlerted(contract, alert, decisions, now)) &&
      words.every((word) => contract.playerIgn.toLowerCase().includes(word) || contract.id === word),
  );
}

const RANKS: Readonly<Record<ContractStatus, number>> = { active: 1, pending: 2, draft: 2, expired: 3, terminated: 3 };
const NEVER = Number.MAX_SAFE_INTEGER;

/** What is to be decided first, then what runs, by its end; what is over comes last, the latest of it first. */
export function compareContracts(decisions: Decisions, now: number): (one: Contract, other: Contract) => number {
  const keyOf = (contract: Contract): readonly [number, number] => {
    const decision = decisions.get(contract.id);
    if (decision !== undefined) return [0, decision.dueAt];
    const rank = RANKS[statusAt(contract, now)];
    const last = lastMomentOf(contract) ?? NEVER;
    return [rank, rank === RANKS.expired ? -last : last];
  };
  const keys = new Map<string, readonly [number, number]>();
  const find = (contract: Contract) => {
    const known = keys.get(contract.id) ?? keyOf(contract);
    keys.set(contract.id, known);
    return known;
  };
  return (one, other) => {
    const [rank, at] = find(one);
    const [otherRank, otherAt] = find(other);
    return rank - otherRank || at - otherAt;
  };
}

export interface PlayerContracts {
  readonly playerId: string;
  readonly ign: string;
  readonly contracts: readonly Contract[];
}

/** One entry for each player, in the order of the first of their contracts. */
export function groupByPlayer(sorted: readonly Contract[]): PlayerContracts[] {
  return [...Map.groupBy(sorted, ({ playerId }) => playerId)].map(([playerId, contracts]) => ({
    playerId,
    ign: contracts[0]?.playerIgn ?? "",
    contracts,
  }));
}
