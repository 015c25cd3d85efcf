/**
 * What stands in a calendar, read from an organization's own handle: events of the kinds wanted, and where wanted the ends of contracts.
 *
 * Calendar programs know an entry by its UID and take it anew when its SEQUENCE is higher. Ours is the number of its changes in the audit log,
 * that of all renamings of teams, whose names stand in titles, and the seconds from its making to its last change. None ever falls, and of any
 * change one rises: so two changes in a second count as two, and what is changed after an older backup was restored comes behind what was seen before.
 */
import { CALENDAR_PAST_DAYS } from "@lineup/api/dashboard/calendar-links";
import { DAY_MS } from "@lineup/api/tiers";
import type { ExpressionBuilder } from "kysely";
import type { OrgStore } from "../store/org-store.ts";
import type { CalendarLinksTable } from "../store/people-tables.ts";
import type { Database } from "../store/schema.ts";
import { parseKinds } from "./calendar-links.ts";

/** Years have four digits in a calendar. */
const LATEST_MS = Date.UTC(9999, 11, 30);
/** More than any organization plays in a year. */
const EVENTS_MAX = 2_000;
const CONTRACT_ENDS_MAX = 1_000;

interface Versioned {
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
  /** How many entries of the audit log tell of a change of it; a count, which is never null. */
  readonly changes: number | null;
}

export type CalendarEvent = Versioned & Awaited<ReturnType<typeof readEvents>>[number];
export type ContractEnd = Versioned & Awaited<ReturnType<typeof readContractEnds>>[number];

export interface CalendarEntries {
  /** How often a team of the organization was renamed. */
  readonly renamings: number;
  readonly events: readonly CalendarEvent[];
  readonly contractEnds: readonly ContractEnd[];
}

export async function readCalendarEntries(
  org: OrgStore,
  { team_id: teamId, kinds: wanted, contract_ends }: CalendarLinksTable,
  now: number,
): Promise<CalendarEntries> {
  const kinds = parseKinds(wanted);
  const events = (span: Span, room: number) => readEvents(org, teamId, kinds, span, room);
  const contractEnds = (span: Span, room: number) => readContractEnds(org, teamId, span, room);
  return {
    renamings: await countRenamings(org),
    events: kinds.length === 0 ? [] : await readAround(now, EVENTS_MAX, events),
    contractEnds: contract_ends === 1 ? await readAround(now, CONTRACT_ENDS_MAX, contractEnds) : [],
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly order: "asc" | "desc";
}

/** What is to come goes before what was, where there is no room for both. */
async function readAround<T>(
  now: number,
  most: number,
  read: (span: Span, room: number) => Promise<T[]>,
): Promise<readonly T[]> {
  const ahead = await read({ from: now, to: LATEST_MS, order: "asc" }, most);
  const past = { from: now - CALENDAR_PAST_DAYS * DAY_MS, to: now - 1, order: "desc" } as const;
  const behind = ahead.length === most ? [] : await read(past, most - ahead.length);
  return [...behind.reverse(), ...ahead];
}

export function sequenceOf({ created_at, updated_at, changes }: Versioned, renamings: number): number {
  return Math.floor(updated_at / 1_000) - Math.floor(created_at / 1_000) + Number(changes ?? 0) + renamings;
}

async function countRenamings(org: OrgStore): Promise<number> {
  // Of teams that are gone, too, or the number would fall.
  const renamings = org
    .selectFrom("audit")
    .select("audit.target_id as id")
    .where("audit.target_id", ">", "team_")
    .where("audit.target_id", "<", "team`")
    .where("audit.action", "=", "team.updated")
    .where("audit.facts", "like", '%"name"%');
  return org.countRows(renamings);
}

function readEvents(
  org: OrgStore,
  teamId: string | null,
  kinds: ReturnType<typeof parseKinds>,
  { from, to, order }: Span,
  limit: number,
) {
  let events = org
    .selectFrom("schedule_entries")
    .where("schedule_entries.kind", "in", kinds)
    .where("schedule_entries.starts_at", ">=", from)
    .where("schedule_entries.starts_at", "<=", to);
  if (teamId !== null) events = events.where("schedule_entries.team_id", "=", teamId);
  return events
    .leftJoin("teams", (join) =>
      join.onRef("teams.org_id", "=", "schedule_entries.org_id").onRef("teams.id", "=", "schedule_entries.team_id"),
    )
    .selectAll("schedule_entries")
    .select("teams.name as team_name")
    .select((eb) => countChanges(eb, org.orgId, ["schedule_entries.id"], ["event.updated"]))
    .orderBy("schedule_entries.starts_at", order)
    .orderBy("schedule_entries.id", order)
    .limit(limit)
    .execute();
}

/** Of contracts that run, or have run to their end. One without a team is its player's team's. */
function readContractEnds(org: OrgStore, teamId: string | null, { from, to, order }: Span, limit: number) {
  let contracts = org
    .selectFrom("contracts")
    .where("contracts.status", "in", ["active", "expired"])
    .where("contracts.end_date", ">=", from)
    .where("contracts.end_date", "<=", to)
    .innerJoin("players", (join) =>
      join.onRef("players.org_id", "=", "contracts.org_id").onRef("players.id", "=", "contracts.player_id"),
    );
  if (teamId !== null) {
    contracts = contracts.where((eb) => eb.fn.coalesce("contracts.team_id", "players.team_id"), "=", teamId);
  }
  return (
    contracts
      .leftJoin("teams", (join) =>
        join
          .onRef("teams.org_id", "=", "contracts.org_id")
          .on((eb) => eb("teams.id", "=", eb.fn.coalesce("contracts.team_id", "players.team_id"))),
      )
      .select(["contracts.id", "contracts.created_at", "contracts.updated_at", "contracts.end_date", "contracts.kind"])
      .select(["contracts.auto_renew", "contracts.notice_period_days"])
      .select(["players.ign", "teams.name as team_name"])
      // Their player's, too, whose name stands in the title, and the player's team where they have none.
      .select((eb) =>
        countChanges(eb, org.orgId, ["contracts.id", "players.id"], ["contract.updated", "player.updated"]),
      )
      .orderBy("contracts.end_date", order)
      .orderBy("contracts.id", order)
      .limit(limit)
      .execute()
  );
}

function countChanges(
  // biome-ignore lint/suspicious/noExplicitAny: which tables the query around it has joined is of no matter here.
  eb: ExpressionBuilder<Database, any>,
  orgId: string,
  ids: readonly string[],
  actions: readonly string[],
) {
  return eb
    .selectFrom("audit")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("audit.org_id", "=", orgId)
    .where(
      "audit.target_id",
      "in",
      ids.map((id) => eb.ref(id)),
    )
    .where("audit.action", "in", actions)
    .as("changes");
}
