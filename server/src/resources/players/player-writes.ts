/** What writing a player does to other records: the roster follows, contracts show the name, and all of it goes with the player. */
import type { Player, playerResource } from "@lineup/api/players";
import { type Prospect, prospectResource } from "@lineup/api/prospects";
import { type AuditEntry, entryOfUpdate, nextUpdatedAt } from "../../store/audit-entry.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { VerbContext } from "../context.ts";
import { contractStore, followPlayerName, seeStored, selectOfPlayer } from "../contracts/contract-store.ts";
import { prospectStore, selectProspectsOfPlayer } from "../prospects/prospect-store.ts";
import { describeDeletion, nameRecord, type RecordRules } from "../record-writes.ts";
import { followPlayer, removeAssignments, selectAssignments } from "../roster/roster-store.ts";
import { findPlayerFaults, noteUnusualStep, refuseFaults } from "./player-rules.ts";
import { playerStore } from "./player-store.ts";

export const playerRules: RecordRules<typeof playerResource> = {
  store: playerStore,
  async settle({ org }, { before, given, after }) {
    const checkRole = before === undefined || given.role !== undefined || given.teamId !== undefined;
    refuseFaults(await findPlayerFaults(org, { ...after, id: before?.id, checkRole }));
    return after;
  },
  async follow({ org, now }, { before, after, fields }) {
    const assignments = await followPlayer(org, before, after, fields, now);
    return fields === undefined
      ? assignments
      : [...assignments, ...(await followPlayerName(org, after.id, fields, now))];
  },
  noteOf: (before, after) => noteUnusualStep(before.contractStatus, after.contractStatus),
  async findDependents({ org }, player) {
    const { assignments, contracts, prospects } = await loadDependents(org, player);
    return {
      deletes: [
        { kind: "assignment", count: assignments.length },
        { kind: "contract", count: contracts.length },
      ],
      changes: [
        { kind: "team", count: player.teamId === null ? 0 : 1 },
        { kind: "prospect", count: prospects.length },
      ],
      refusal: null,
    };
  },
  async leave(context, player, facts) {
    const { org, now } = context;
    const { assignments, contracts, prospects } = await loadDependents(org, player);
    const removed = await removeAssignments(org, assignments, now, facts);
    const rules = { store: contractStore, see: seeStored };
    const ended = contracts.map((contract) => describeDeletion(rules, contract, now, facts));
    await contractStore.delete(
      org,
      contracts.map(({ id }) => id),
    );
    const freed: AuditEntry[] = [];
    for (const prospect of prospects) freed.push(await freeProspect(context, prospect));
    return [...removed, ...ended, ...freed];
  },
};

async function loadDependents(org: OrgStore, { id }: Player) {
  return {
    assignments: await selectAssignments(org, id),
    contracts: await selectOfPlayer(org, id),
    prospects: await selectProspectsOfPlayer(org, id),
  };
}

/** The player whom the prospect became goes. */
async function freeProspect({ org, now }: VerbContext, before: Prospect): Promise<AuditEntry> {
  const updatedAt = nextUpdatedAt(now, before.updatedAt);
  await prospectStore.update(org, before, { ...before, playerId: null, updatedAt });
  return entryOfUpdate(nameRecord(prospectResource, before), { playerId: [before.playerId, null] }, updatedAt);
}
