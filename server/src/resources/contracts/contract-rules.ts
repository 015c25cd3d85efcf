/** The rules of contracts, and what staff do to them sets of their player. */

import { findNextNotice } from "@lineup/api/change-types";
import { type Contract, contractResource } from "@lineup/api/contracts";
import { bodyError, type ErrorDetail } from "@lineup/api/errors";
import type { ContractStatus } from "@lineup/api/players";
import type { AuditEntry } from "../../store/audit-entry.ts";
import { findDueNotices } from "../../store/event-tables.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { VerbContext } from "../context.ts";
import { noteUnusualStep } from "../players/player-rules.ts";
import { playerStore } from "../players/player-store.ts";
import { listOfPlayer } from "../record-store.ts";
import { changeAlong, type RecordRules, refuse } from "../record-writes.ts";
import { findReferenceFaults } from "../reference-rules.ts";
import { contractStore, findContract, type StoredContract, storedAsOf } from "./contract-store.ts";

type State = Contract["status"];

/** What a contract alone makes of its player's `contractStatus`. */
const IMPLIED: Readonly<Record<State, ContractStatus>> = {
  draft: "in_negotiation",
  pending: "in_negotiation",
  active: "active",
  expired: "expired",
  terminated: "terminated",
};

/** Of several contracts, the first that is of one of these says how things stand. */
const WEIGHT: readonly State[] = ["active", "pending", "draft", "expired", "terminated"];

/**
 * What a player's `contractStatus` becomes when a contract comes to a state, be it a new one:
 *
 * | the contract is now | the player's becomes |
 * | --- | --- |
 * | active | active |
 * | draft or pending | in_negotiation, unless it is active |
 * | expired or terminated | the same, unless another contract is active: then active |
 */
export function statusAfter(current: ContractStatus, state: State, others: readonly State[]): ContractStatus {
  const implied = IMPLIED[state];
  if (implied === "in_negotiation") return current === "active" ? current : implied;
  return others.includes("active") ? "active" : implied;
}

/** Where it stood for a contract that is deleted, it goes back to what the others say, and without any to unsigned. */
function statusWithout(current: ContractStatus, state: State, others: readonly State[]): ContractStatus {
  if (current !== IMPLIED[state]) return current;
  const next = WEIGHT.find((one) => others.includes(one));
  return next === undefined ? "unsigned" : IMPLIED[next];
}

export const contractRules: RecordRules<typeof contractResource> = {
  store: contractStore,
  show: findContract,
  asOf: storedAsOf,
  async settle({ org }, plan) {
    const fault = findContractFault(plan.after);
    refuse([...(fault === undefined ? [] : [fault]), ...(await findReferenceFaults(org, contractResource, plan))]);
    return plan.after;
  },
  async follow(context, { before, after }) {
    const { org, now } = context;
    // Set again without need, the clock would pass over a notice that is due this moment.
    if (before?.status !== after.status || before.endDate !== after.endDate) await setNotices(org, [after], now);
    const { status } = storedAsOf(after, now);
    if (before !== undefined && storedAsOf(before, now).status === status) return [];
    return setStatus(context, after, (current, others) => statusAfter(current, status, others));
  },
  async findDependents({ org, now }, contract) {
    const player = await playerStore.find(org, contract.playerId);
    const others = await listOtherStates(org, contract, now);
    const isChanged =
      player?.contractStatus !==
      statusWithout(player?.contractStatus ?? "unsigned", storedAsOf(contract, now).status, others);
    return { deletes: [], changes: isChanged ? [{ kind: "player", count: 1 }] : [], refusal: null };
  },
  leave(context, contract) {
    const { status } = storedAsOf(contract, context.now);
    return setStatus(context, contract, (current, others) => statusWithout(current, status, others));
  },
};

export function findContractFault({ startDate, endDate }: StoredContract): ErrorDetail | undefined {
  if (endDate === null || endDate >= startDate) return undefined;
  return { field: "endDate", message: "lies before startDate; correct one of them" };
}

async function setStatus(
  context: VerbContext,
  contract: StoredContract,
  statusOf: (current: ContractStatus, others: readonly State[]) => ContractStatus,
): Promise<AuditEntry[]> {
  const { org, now } = context;
  const player = await playerStore.find(org, contract.playerId);
  if (player === undefined) throw new Error("A contract has a player.");
  const contractStatus = statusOf(player.contractStatus, await listOtherStates(org, contract, now));
  const note = noteUnusualStep(player.contractStatus, contractStatus);
  return changeAlong(context, playerStore, player, { contractStatus }, note);
}

async function listOtherStates(org: OrgStore, { id, playerId }: StoredContract, now: number): Promise<State[]> {
  const contracts = await listOfPlayer(org, contractResource, playerId);
  return contracts.filter((one) => one.id !== id).map((one) => storedAsOf(one, now).status);
}

/** What changes of a contract when it is signed. */
export function signing(signedAt: number, now: number): (contract: StoredContract) => Partial<StoredContract> {
  return (contract) => {
    requireState(storedAsOf(contract, now).status, ["draft", "pending"], "signed");
    return { status: "active", signedAt };
  };
}

/** What changes of a contract that is terminated at a moment which has come, since it began. */
export function terminating(terminatedAt: number, now: number): (contract: StoredContract) => Partial<StoredContract> {
  return (contract) => {
    requireState(storedAsOf(contract, now).status, ["active", "pending"], "terminated");
    const message =
      terminatedAt > now
        ? "lies in the future; to have the contract end then, set its endDate"
        : "lies before startDate; correct one of them, or delete a contract that never began";
    if (terminatedAt > now || terminatedAt < contract.startDate) throw bodyError([{ field: "terminatedAt", message }]);
    return { status: "terminated", terminatedAt };
  };
}

/** The contract that goes on from the end of another. */
export function renewalOf(contract: StoredContract, now: number) {
  requireState(storedAsOf(contract, now).status, ["active", "expired"], "renewed");
  const { playerId, teamId, kind, endDate, autoRenew, noticePeriodDays } = contract;
  if (endDate !== null) return { playerId, teamId, kind, startDate: endDate, autoRenew, noticePeriodDays };
  const message = "is open, so there is no end to renew it from; set one first";
  throw bodyError([{ field: "endDate", message }]);
}

function requireState(status: State, allowed: readonly State[], step: string): void {
  if (allowed.includes(status)) return;
  const message = `is ${status}; only a contract that is ${allowed.join(" or ")} can be ${step}. Edit it instead`;
  throw bodyError([{ field: "status", message }]);
}

/**
 * When time itself next has something to tell of a contract. An active contract that has an end has one row of `contract_clock`, with the first
 * of its moments that lay ahead when it got this end; any other has none. Every write of a contract sets it, in the same transaction. What is
 * due and not told yet is not lost by that: a row whose end is still the same stays, and of any other it is told before the row goes.
 */
type Timed = Pick<StoredContract, "id" | "status" | "endDate">;

/** At once for as many as one statement takes. */
export async function setNotices(org: OrgStore, contracts: readonly Timed[], now: number): Promise<void> {
  if (contracts.length === 0) return;
  const ids = contracts.map(({ id }) => id);
  const rows = await org
    .selectFrom("contract_clock")
    .selectAll("contract_clock")
    .where("contract_clock.contract_id", "in", ids)
    .execute();
  const ends = new Map(rows.map((row) => [row.contract_id, row.end_date]));
  const running = contracts.filter(({ status }) => status === "active");
  const unchanged = new Set(running.filter(({ id, endDate }) => ends.get(id) === endDate).map(({ id }) => id));
  const changed = rows.filter(({ contract_id: id }) => !unchanged.has(id));
  if (changed.length > 0) {
    await org.record(changed.flatMap((row) => findDueNotices(row, now).entries));
    const changedIds = changed.map(({ contract_id: id }) => id);
    await org.deleteFrom("contract_clock").where("contract_id", "in", changedIds).execute();
  }
  const added = running.flatMap(({ id, endDate }) => {
    const notice = endDate === null || unchanged.has(id) ? undefined : findNextNotice(endDate, now);
    return notice === undefined || endDate === null
      ? []
      : [{ contract_id: id, end_date: endDate, days: notice.days, due_at: notice.dueAt }];
  });
  if (added.length > 0) await org.insertInto("contract_clock", added).execute();
}
