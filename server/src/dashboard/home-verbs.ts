/** Home: what needs somebody's eye this morning. */
import { allows } from "@lineup/api/dashboard/members";
import { DAY_MS } from "@lineup/api/tiers";
import { listKeys } from "../access/key-admin.ts";
import { readHours } from "../request-log/key-usage.ts";
import { selectContracts, selectExpiringContracts } from "../resources/contracts/contract-store.ts";
import { prospectStore } from "../resources/prospects/prospect-store.ts";
import { rosterStore, selectEntries } from "../resources/roster/roster-store.ts";
import { selectSchedule } from "../resources/schedule/schedule-store.ts";
import type { OrgStore } from "../store/org-store.ts";
import { type ActionVerb, type MemberContext, requireOrganizationOf } from "./context.ts";
import { describeKeys, HOUR_MS, SOON_MS } from "./key-facts.ts";

const HOME_HOURS = 24;
const ENDING_DAYS = 90;
/** More than anybody reads at one look. */
const CONTRACTS_MAX = 500;
const EVENTS_SHOWN = 40;
const PROSPECTS_SHOWN = 20;
const MOVES_SHOWN = 20;
const MOVES_DAYS = 14;
const ATTENTION_MAX = 50;

export const getHome: ActionVerb<"getHome"> = async (context) => {
  const { tools, orgId, visit } = context;
  const org = tools.store.org(orgId);
  const [hours, keys, contracts, events, waitingProspects, moves, hasTeam, hasPlayers] = await Promise.all([
    readHomeHours(context),
    describeKeysOf(context),
    readContracts(org, visit.now),
    // What was over an hour ago is still today's somewhere; the pages know where the viewer is.
    readFirst(selectSchedule(org, { from: visit.now - DAY_MS }, visit.now), EVENTS_SHOWN),
    readWaitingProspects(org),
    readMoves(org, visit.now - MOVES_DAYS * DAY_MS),
    hasAny(org, "teams"),
    hasAny(org, "players"),
  ]);
  return {
    hours,
    keysNeedingAttention: allows(context.role, "keys:view") ? findKeysNeedingAttention(keys, visit.now) : null,
    contracts,
    events,
    waitingProspects,
    moves,
    checklist: {
      hasTeam,
      hasPlayers,
      hasKey: keys.length > 0,
      hasFirstCall: keys.some(({ lastUsedAt }) => lastUsedAt !== null),
    },
  };
};

interface Readable<T> {
  readPage(page: { limit: number; after: undefined }): Promise<{ readonly items: readonly T[] }>;
}

async function readFirst<T>(list: Readable<T>, limit: number): Promise<T[]> {
  return [...(await list.readPage({ limit, after: undefined })).items];
}

/**
 * Those that may need a decision: active ones that end soon, and drafts and pending ones whose start has come. With them the active ones of
 * the same players, since one that follows leaves nothing to decide.
 */
async function readContracts(org: OrgStore, now: number) {
  const sort = { field: "startDate", descending: false };
  const [ending, open] = await Promise.all([
    readFirst(selectExpiringContracts(org, { days: ENDING_DAYS }, now), CONTRACTS_MAX),
    readFirst(selectContracts(org, { status: ["draft", "pending"], sort }, now), CONTRACTS_MAX),
  ]);
  const started = open.filter(({ startDate }) => startDate <= now);
  const playerId = [...new Set(ending.map((contract) => contract.playerId))];
  const active =
    playerId.length === 0
      ? []
      : await readFirst(selectContracts(org, { playerId, status: ["active"] }, now), CONTRACTS_MAX);
  return [...new Map([...ending, ...started, ...active].map((contract) => [contract.id, contract])).values()];
}

/** The longest wait first. */
function readWaitingProspects(org: OrgStore) {
  const sort = { field: "stageChangedAt", descending: false };
  return readFirst(prospectStore.list(org, { stage: ["contacted", "trial", "offered"], sort }), PROSPECTS_SHOWN);
}

/** Assignments that began or ended since then, the latest first. */
async function readMoves(org: OrgStore, since: number) {
  const rows = await selectEntries(org)
    .where((eb) => eb.or([eb("assignments.joined_at", ">=", since), eb("assignments.left_at", ">=", since)]))
    .orderBy((eb) => eb.fn.coalesce("assignments.left_at", "assignments.joined_at"), "desc")
    .orderBy("assignments.id")
    .limit(MOVES_SHOWN)
    .execute();
  return rows.map((row) => rosterStore.fromRow(row));
}

async function hasAny(org: OrgStore, table: "teams" | "players"): Promise<boolean> {
  return (await org.selectFrom(table).select("id").limit(1).executeTakeFirst()) !== undefined;
}

async function readHomeHours({ tools, orgId, visit }: MemberContext) {
  const fromHour = Math.floor(visit.now / HOUR_MS) - HOME_HOURS + 1;
  const hours = Array.from({ length: HOME_HOURS }, (_, index) => {
    return { at: (fromHour + index) * HOUR_MS, answered: 0, refused: 0, failed: 0 };
  });
  for (const { hour, answered, refused, failed } of await readHours(tools.store, orgId, { fromHour })) {
    const shown = hours[hour - fromHour];
    if (shown === undefined) continue;
    shown.answered += answered;
    shown.refused += refused;
    shown.failed += failed;
  }
  return hours;
}

async function describeKeysOf({ tools, orgId, visit }: MemberContext) {
  const { tier } = await requireOrganizationOf(tools.store, orgId);
  return describeKeys(tools, orgId, tier, await listKeys(tools.store, orgId), visit.now);
}

/** Those that have ended of late without a successor, or will soon, or are refused at this moment; the most urgent first. */
function findKeysNeedingAttention(keys: Awaited<ReturnType<typeof describeKeysOf>>, now: number) {
  return keys
    .filter(({ state, expiresAt, successorId }) => {
      if (state !== "expired") return state === "rotating" || state === "rate limited" || state === "expires soon";
      return successorId === null && expiresAt !== null && now - expiresAt <= SOON_MS;
    })
    .sort((a, b) => (a.expiresAt ?? Number.POSITIVE_INFINITY) - (b.expiresAt ?? Number.POSITIVE_INFINITY))
    .slice(0, ATTENTION_MAX)
    .map(({ id, name, shownPrefix, state, expiresAt }) => ({ id, name, shownPrefix, state, expiresAt }));
}
