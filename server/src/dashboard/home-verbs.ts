/** Home: what needs somebody's eye this morning. */
import type { KeyView } from "@lineup/api/dashboard/keys";
import { allows } from "@lineup/api/dashboard/members";
import { DAY_MS } from "@lineup/api/tiers";
import { listKeys, SOON_MS } from "../access/key-admin.ts";
import { readHours } from "../request-log/key-usage.ts";
import { selectContracts, selectExpiringContracts } from "../resources/contracts/contract-store.ts";
import { prospectStore } from "../resources/prospects/prospect-store.ts";
import { rosterStore, selectEntries } from "../resources/roster/roster-store.ts";
import { selectSchedule } from "../resources/schedule/schedule-store.ts";
import type { List } from "../store/list.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { ActionVerbs, MemberContext } from "./context.ts";
import { describeKeys, firstHourOf, sumSteps } from "./key-facts.ts";

const HOME_HOURS = 24;
const ENDING_DAYS = 90;
/** More than anybody reads at one look. */
const CONTRACTS_MAX = 500;
const EVENTS_SHOWN = 40;
const PROSPECTS_SHOWN = 20;
const MOVES_SHOWN = 20;
const MOVES_DAYS = 14;
const ATTENTION_MAX = 50;

export const HOME_VERBS = {
  getHome: async (context) => {
    const { tools, orgId, visit } = context;
    const org = tools.store.org(orgId);
    const [hours, keys, contracts, events, waitingProspects, moves, hasTeam, hasPlayers] = await Promise.all([
      readHomeHours(context),
      listKeys(tools.store, orgId).then((found) => describeKeys(context, found)),
      readContracts(org, visit.now),
      // What was over an hour ago is still today's somewhere; the pages know where the viewer is.
      readFirst(selectSchedule(org, { from: visit.now - DAY_MS }, visit.now), EVENTS_SHOWN),
      readWaitingProspects(org),
      readMoves(org, visit.now - MOVES_DAYS * DAY_MS, visit.now),
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
  },
} satisfies Partial<ActionVerbs>;

async function readFirst<T>(list: List<T>, limit: number): Promise<T[]> {
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

/**
 * Assignments that began or ended since then, the latest first; none that is to come. One that never was, which ends as it begins, may lie
 * ahead and comes along all the same: it is where the player came from who was moved before it.
 */
async function readMoves(org: OrgStore, since: number, now: number) {
  const rows = await selectEntries(org)
    .where((eb) =>
      eb.or([
        eb.between("assignments.joined_at", since, now),
        eb.between("assignments.left_at", since, now),
        eb("assignments.left_at", "=", eb.ref("assignments.joined_at")).and("assignments.updated_at", ">=", since),
      ]),
    )
    .orderBy(
      (eb) =>
        eb
          .case()
          .when("assignments.left_at", "=", eb.ref("assignments.joined_at"))
          .then(eb.ref("assignments.updated_at"))
          .when("assignments.left_at", "<=", now)
          .then(eb.ref("assignments.left_at"))
          .else(eb.ref("assignments.joined_at"))
          .end(),
      "desc",
    )
    .orderBy("assignments.id")
    .limit(MOVES_SHOWN)
    .execute();
  return rows.map((row) => rosterStore.fromRow(row));
}

async function hasAny(org: OrgStore, table: "teams" | "players"): Promise<boolean> {
  return (await org.selectFrom(table).select("id").limit(1).executeTakeFirst()) !== undefined;
}

async function readHomeHours({ tools, orgId, visit }: MemberContext) {
  const fromHour = firstHourOf(HOME_HOURS, visit.now);
  return sumSteps(await readHours(tools.store, orgId, { fromHour }), fromHour, 1, HOME_HOURS);
}

/** Those that have ended of late without a successor, or will soon, or are refused at this moment; the most urgent first. */
function findKeysNeedingAttention(keys: readonly KeyView[], now: number) {
  return keys
    .filter(({ state, expiresAt, successorId }) => {
      if (state !== "expired") return state === "rotating" || state === "rate limited" || state === "expires soon";
      return successorId === null && expiresAt !== null && now - expiresAt <= SOON_MS;
    })
    .sort((a, b) => (a.expiresAt ?? Number.POSITIVE_INFINITY) - (b.expiresAt ?? Number.POSITIVE_INFINITY))
    .slice(0, ATTENTION_MAX)
    .map(({ id, name, shownPrefix, state, expiresAt }) => ({ id, name, shownPrefix, state, expiresAt }));
}
