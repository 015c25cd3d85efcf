/**
 * Fills an organization with many records in one transaction, in large pieces and through the store's own doors: every
 * player has the assignment, the external id and the entry in the audit log that a create would have left.
 */
import { PERMISSIONS } from "@lineup/api/permissions";
import { hashKey, makeKey, shownPrefixOf } from "@lineup/server/access/key-format";
import { createOrganization } from "@lineup/server/access/organizations";
import { playerStore } from "@lineup/server/resources/players/player-store";
import { openAssignment } from "@lineup/server/resources/roster/roster-rules";
import { scheduleStore } from "@lineup/server/resources/schedule/schedule-store";
import { commandOrigin, entryOfCreation, makeEntriesLater } from "@lineup/server/store/audit-entry";
import { makeId } from "@lineup/server/store/ids";
import type { OrgStore, WritableTable } from "@lineup/server/store/org-store";
import type { Store } from "@lineup/server/store/store";
import { makeContract, makePlayer, makeScheduleEntry, makeTeams, type Team } from "./fixture-rows.ts";

export interface WantedOrganization {
  readonly name: string;
  readonly players: number;
  readonly keys: number;
  readonly scheduleEntries?: number;
  readonly contracts?: number;
}

export type MadePlayer = ReturnType<typeof makePlayer>;

export interface FilledOrganization {
  readonly orgId: string;
  readonly keys: readonly string[];
  readonly players: readonly MadePlayer[];
  /** A team that plays LoL. */
  readonly teamId: string;
}

export const ORIGIN = commandOrigin("bench");
/** Of the servers; with PostgreSQL there has to be one. */
export const SECRET = "a secret of the bench, of no value at all";
const ROWS_PER_STATEMENT = 500;

/** Its tier is the one with the highest limits, for a load that is to find none. */
export async function makeFilledOrganization(store: Store, wanted: WantedOrganization): Promise<FilledOrganization> {
  const { id: orgId } = await createOrganization(store, { name: wanted.name, tier: "Enterprise" }, ORIGIN);
  const keys = await insertKeys(store, orgId, wanted.keys);
  return store.writeOrg(orgId, ORIGIN, async (org) => {
    const now = Date.now();
    const teams = makeTeams(now);
    const players = Array.from({ length: wanted.players }, (_, index) => makePlayer(index, teams, now));
    await insertTeams(org, teams, players);
    for (const some of batchesOf(players)) await insertPlayers(org, some, now);
    const contracts = players.slice(0, wanted.contracts ?? 0).map((player, index) => makeContract(index, player, now));
    for (const some of batchesOf(contracts)) await insert(org, "contracts", some);
    const entries = Array.from({ length: wanted.scheduleEntries ?? 0 }, (_, index) =>
      scheduleStore.toRow(makeScheduleEntry(index, teams, now)),
    );
    for (const some of batchesOf(entries)) await insert(org, "schedule_entries", some);
    return { orgId, keys, players, teamId: teams[0]?.id ?? "" };
  });
}

async function insertTeams(
  org: OrgStore,
  teams: readonly (Team & { readonly player_count: number })[],
  players: readonly MadePlayer[],
): Promise<void> {
  const counts = new Map<string, number>();
  for (const { teamId } of players) counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
  await insert(
    org,
    "teams",
    teams.map((team) => ({ ...team, player_count: counts.get(team.id) ?? 0 })),
  );
}

async function insertPlayers(org: OrgStore, players: readonly MadePlayer[], now: number): Promise<void> {
  const assignments = players.map((player) => openAssignment(player, player.teamId, undefined, true, now));
  const externalIds = players.flatMap(({ id, externalIds: ids }) =>
    Object.entries(ids).map(([system, external_id]) => ({ kind: "player", system, external_id, record_id: id })),
  );
  await insert(org, "players", players.map(playerStore.toRow));
  await insert(org, "assignments", assignments);
  await insert(org, "external_ids", externalIds);
  await org.record(
    makeEntriesLater(() =>
      players.map((player) => entryOfCreation({ kind: "player", id: player.id, name: player.ign }, player, now)),
    ),
  );
}

async function insert(org: OrgStore, table: WritableTable, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await org.insertInto(table, rows as never).execute();
}

/** Thousands of keys in one transaction, where making each the usual way would take one transaction a key. */
async function insertKeys(store: Store, orgId: string, count: number): Promise<string[]> {
  const now = Date.now();
  const keys = Array.from({ length: count }, makeKey);
  const rows = keys.map((key, index) => ({
    id: makeId("key"),
    org_id: orgId,
    name: `Integration ${index + 1}`,
    hash: hashKey(key),
    shown_prefix: shownPrefixOf(key),
    permissions: JSON.stringify(PERMISSIONS),
    expires_at: null,
    revoked_at: null,
    successor_id: null,
    created_by: "bench",
    created_at: now,
    updated_at: now,
  }));
  await store.writeAccess(ORIGIN, async (operator, { record }) => {
    for (const some of batchesOf(rows)) await operator.insertInto("api_keys").values(some).execute();
    await record(
      orgId,
      makeEntriesLater(() =>
        rows.map(({ id, name }) => ({ at: now, action: "key.created", target: { kind: "key", id, name } })),
      ),
    );
  });
  return keys;
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += ROWS_PER_STATEMENT) yield all.slice(from, from + ROWS_PER_STATEMENT);
}
