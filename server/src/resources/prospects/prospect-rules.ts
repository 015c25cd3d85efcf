/** The rules of a prospect that need more than one field, or stored data, and how one is signed. */
import { isCountryCode } from "@lineup/api/countries";
import { ActionError } from "@lineup/api/dashboard/action";
import type { ParsedBody } from "@lineup/api/dashboard/actions";
import { bodyError, type ErrorDetail } from "@lineup/api/errors";
import { type Prospect, prospectResource } from "@lineup/api/prospects";
import { type Game, isRoleOf, ROLES_BY_GAME } from "@lineup/api/roles";
import { mergeExternalIds } from "../../store/external-ids.ts";
import type { OrgStore } from "../../store/org-store.ts";
import type { FaultFinder, VerbContext } from "../context.ts";
import { contractRules, statusAfter } from "../contracts/contract-rules.ts";
import { type StoredContract, storedAsOf } from "../contracts/contract-store.ts";
import { playerRules } from "../players/player-rules.ts";
import { changeRecord, createRecord, type RecordRules, refuse, requireRecord, type Written } from "../record-writes.ts";
import { findReferenceFaults } from "../reference-rules.ts";
import { prospectStore } from "./prospect-store.ts";

export const prospectRules: RecordRules<typeof prospectResource> = {
  store: prospectStore,
  async settle({ org }, { before, after, at }) {
    refuse(await findProspectFaults(org, before, after));
    return before === undefined || before.stage === after.stage ? after : { ...after, stageChangedAt: at };
  },
};

type Judged = Pick<Prospect, "game" | "role" | "targetTeamId" | "externalIds">;

async function findProspectFaults(org: OrgStore, before: Prospect | undefined, after: Judged): Promise<ErrorDetail[]> {
  const fault = findProspectRoleFault(after.game, after.role);
  const ofRole = fault === undefined ? [] : [{ field: "role", message: `${fault}, or null` }];
  return [...ofRole, ...(await findReferenceFaults(org, prospectResource, { before, after }))];
}

/** Judges the usable part of a body whose form is wrong, so that its other faults are reported with it. */
export const findProspectBodyFaults: FaultFinder = async ({ org }, id, body, isFaulty) => {
  const usable = body as Partial<Prospect>;
  const before = id === "" ? undefined : await prospectStore.find(org, id);
  if (id !== "" && before === undefined) return [];
  const role = usable.role === undefined ? (before?.role ?? null) : usable.role;
  return findProspectFaults(org, before, {
    game: usable.game ?? before?.game ?? "Other",
    role: isFaulty("role") || isFaulty("game") ? null : role,
    targetTeamId: usable.targetTeamId ?? null,
    externalIds: mergeExternalIds(before?.externalIds ?? {}, usable.externalIds ?? {}),
  });
};

/** Why a prospect's role does not fit its game, and which do; how to say none is the caller's to add. */
export function findProspectRoleFault(game: Game, role: string | null): string | undefined {
  if (role === null || isRoleOf(game, role)) return undefined;
  return `is not a role of ${game}; use one of ${ROLES_BY_GAME[game].join(", ")}`;
}

type Given = Readonly<Record<string, unknown>>;

/** The prospect becomes a player, with a team, a role and a contract where they are given. */
export async function signProspect(
  context: VerbContext,
  id: string,
  { updatedAt, contract, ...given }: ParsedBody<"signProspect">,
): Promise<Written<Prospect>> {
  const prospect = await requireRecord(context, prospectRules, id, updatedAt);
  if (prospect.playerId !== null) {
    throw new ActionError("CONFLICT", "This prospect has become a player already. Change that player instead.");
  }
  const role = given.role ?? prospect.role;
  if (role === null) throw bodyError([{ field: "role", message: "must be given: the prospect has none" }]);
  let contractStatus = "unsigned";
  if (contract !== undefined) contractStatus = statusOf(contract, context.now);
  const { ign, realName, nationality } = prospect;
  const country = nationality !== null && isCountryCode(nationality) ? { nationality } : {};
  const player = await createRecord(context, playerRules, {
    ign,
    realName,
    ...country,
    ...given,
    role,
    contractStatus,
  });
  const playerId = player.record.id;
  const signed = await changeRecord(context, prospectRules, id, () => ({ playerId, stage: "signed" }));
  // Its player's status follows from it, and is so already.
  const made =
    contract && (await createRecord(context, contractRules, { teamId: given.teamId ?? null, ...contract, playerId }));
  return { record: signed.record, entries: [...signed.entries, ...player.entries, ...(made?.entries ?? [])] };
}

/** The player is new and has this contract alone. */
function statusOf({ status = "draft", endDate = null }: Given, now: number): string {
  const contract = { status, endDate, updatedAt: now } as StoredContract;
  return statusAfter("unsigned", storedAsOf(contract, now).status, []);
}
