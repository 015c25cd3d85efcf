/** A prospect is signed: becomes a player, with a team, a role and a contract where they are given. */
import { isCountryCode } from "@lineup/api/countries";
import { ActionError } from "@lineup/api/dashboard/action";
import { bodyError } from "@lineup/api/errors";
import type { Prospect } from "@lineup/api/prospects";
import type { VerbContext } from "../context.ts";
import { contractRules, keepClock, statusAfter } from "../contracts/contract-rules.ts";
import { type StoredContract, seeStored } from "../contracts/contract-store.ts";
import { playerRules } from "../players/player-writes.ts";
import { changeRecord, createRecord, type RecordRules, requireRecord, type Written } from "../record-writes.ts";
import { prospectRules } from "./prospect-rules.ts";

type Given = Readonly<Record<string, unknown>>;

interface SignInput {
  readonly updatedAt: number;
  readonly teamId?: string | null | undefined;
  readonly role?: string | undefined;
  readonly joinDate?: number | undefined;
  readonly contract?: Given | undefined;
}

export async function signProspect(
  context: VerbContext,
  id: string,
  { updatedAt, contract, ...given }: SignInput,
): Promise<Written<Prospect>> {
  const prospect = await requireRecord(context, prospectRules, id, updatedAt);
  if (prospect.playerId !== null) {
    throw new ActionError("CONFLICT", "This prospect has become a player already. Change that player instead.");
  }
  const role = given.role ?? prospect.role;
  if (role === null) throw bodyError([{ field: "role", message: "must be given: the prospect has none" }]);
  let contractStatus = "unsigned";
  const rules: RecordRules<(typeof contractRules)["store"]["resource"]> = {
    ...contractRules,
    async follow({ org, now }, { before, after }) {
      await keepClock(org, before, after, now);
      return [];
    },
  };
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
  const made =
    contract && (await createRecord(context, rules, { teamId: given.teamId ?? null, ...contract, playerId }));
  return { record: signed.record, entries: [...signed.entries, ...player.entries, ...(made?.entries ?? [])] };
}

/** The player is new and has this contract alone. */
function statusOf({ status = "draft", endDate = null }: Given, now: number): string {
  const contract = { status, endDate, updatedAt: now } as StoredContract;
  return statusAfter("unsigned", seeStored(contract, now).status, []);
}
