/** Lists as the database writes them: byte for byte what JavaScript would make of their records. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contractResource } from "@lineup/api/contracts";
import { playerResource } from "@lineup/api/players";
import { prospectResource } from "@lineup/api/prospects";
import { fillIn } from "@lineup/api/resource";
import { scheduleResource } from "@lineup/api/schedule";
import { teamResource } from "@lineup/api/teams";
import { DAY_MS } from "@lineup/api/tiers";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOrganization } from "../../src/access/organizations.ts";
import {
  contractStore,
  selectContracts,
  selectExpiringContracts,
} from "../../src/resources/contracts/contract-store.ts";
import { playerStore, selectPlayers } from "../../src/resources/players/player-store.ts";
import { prospectStore } from "../../src/resources/prospects/prospect-store.ts";
import { selectRoster } from "../../src/resources/roster/roster-store.ts";
import { scheduleStore, selectSchedule } from "../../src/resources/schedule/schedule-store.ts";
import { teamStore } from "../../src/resources/teams/team-store.ts";
import { makeId } from "../../src/store/ids.ts";
import type { List } from "../../src/store/list.ts";
import type { OrgStore } from "../../src/store/org-store.ts";
import type { Store } from "../../src/store/store.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { openTestStore } from "../test-store.ts";

const NOW = Date.UTC(2026, 5, 1);
const RECORDS = 60;

/** Whatever Unicode has but the one character that no database takes. */
const texts = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
    fc.constantFrom('"\\/', "\u2028\u007f", "é\t\n\u001f"),
  )
  .map((text) => text.replaceAll("\u0000", "0"));
const maybeText = fc.option(texts);
const moments = fc.integer({ min: 0, max: 4_102_444_800_000 });
const maybeMoment = fc.option(moments);
const externalIds = fc.dictionary(fc.stringMatching(/^[a-z0-9_-]{1,9}$/), texts, { maxKeys: 3 });
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e21, 1e-7, -0, 0.1, 123456789012345680000, 5e-324),
);
const stats = fc.option(fc.dictionary(texts, fc.oneof(numbers, texts), { maxKeys: 5 }));
const ratings = fc.option(
  fc.oneof(
    fc.double({ min: 0, max: 10, noNaN: true }),
    fc.integer({ min: 0, max: 100 }).map((tenths) => tenths / 10),
    fc.constantFrom(0, -0, 10, 7, 0.1 + 0.2, 1e-7, 0.0001, 5e-324, 9.999999999999998),
  ),
);

let folder: string;
let store: Store;
let org: OrgStore;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-list-bytes-"));
  store = await openTestStore(folder);
  const { id } = await createOrganization(store, { name: "Bytes" }, TEST_ORIGIN);
  await store.writeOrg(id, TEST_ORIGIN, fill);
  org = store.org(id);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function fill(write: OrgStore): Promise<void> {
  const times = { createdAt: 1, updatedAt: NOW - DAY_MS };
  const teams = sample({ name: texts, tag: maybeText, region: maybeText, logoUrl: maybeText, externalIds }, (team) =>
    fillIn(
      teamResource,
      {
        ...{ id: makeId("team"), game: "LoL" as const, division: "main" as const, status: "active" as const },
        ...{ ...times, ...team, playerCount: 1 },
      },
      NOW,
    ),
  );
  await write.insertInto("teams", teams.map(teamStore.toRow)).execute();
  const players = sample(
    { ign: texts, realName: texts, role: texts, joinDate: moments, imageUrl: maybeText, stats, externalIds },
    (player, index) =>
      fillIn(
        playerResource,
        {
          ...{ id: makeId("player"), teamId: index % 2 === 0 ? null : (teams[index]?.id ?? null), nationality: "SE" },
          ...{ contractStatus: "active" as const, status: "benched" as const },
          ...{ ...times, ...player },
        },
        NOW,
      ),
  );
  await write.insertInto("players", players.map(playerStore.toRow)).execute();
  const assignments = sample({ role: texts, joined: moments }, ({ role, joined }, index) => ({
    ...{ id: makeId("assignment"), player_id: players[index]?.id ?? "", team_id: teams[index]?.id ?? "", role },
    ...{ kind: "player" as const, is_starter: index % 2, is_captain: Number(index % 3 === 0), joined_at: joined },
    ...{ left_at: null, import_id: null, created_at: 1, updated_at: 2 },
  }));
  await write.insertInto("assignments", assignments).execute();
  const score = fc.option(fc.record({ own: fc.nat(99), opponent: fc.nat(99) }));
  const entries = sample(
    {
      ...{ title: texts, startsAt: moments, endsAt: maybeMoment, previousStartsAt: maybeMoment, timezone: maybeText },
      ...{
        opponent: maybeText,
        competition: maybeText,
        stage: maybeText,
        bestOf: fc.option(fc.nat(4).map((n) => 2 * n + 1)),
      },
      ...{ location: maybeText, streamUrl: maybeText, result: score, externalIds },
    },
    (entry) =>
      fillIn(
        scheduleResource,
        {
          ...{
            id: makeId("event"),
            kind: "match" as const,
            teamId: null,
            game: "CS2" as const,
            status: "live" as const,
          },
          ...{ ...times, ...entry, endsAt: entry.endsAt === null ? null : entry.startsAt + entry.endsAt },
        },
        NOW,
      ),
  );
  await write.insertInto("schedule_entries", entries.map(scheduleStore.toRow)).execute();
  const prospects = sample(
    {
      ...{
        ign: texts,
        realName: texts,
        role: maybeText,
        stageChangedAt: moments,
        rating: ratings,
        currentTeam: maybeText,
      },
      ...{ region: maybeText, source: maybeText, assignedTo: maybeText, notes: maybeText, lastContactAt: maybeMoment },
      ...{ contractEndDate: maybeMoment, tags: fc.array(texts, { maxLength: 3 }), externalIds },
    },
    (prospect) =>
      fillIn(
        prospectResource,
        {
          ...{ id: makeId("prospect"), game: "Other" as const, stage: "trial" as const, priority: "low" as const },
          ...{ ...times, nationality: null, targetTeamId: null, playerId: null, ...prospect },
        },
        NOW,
      ),
  );
  await write.insertInto("prospects", prospects.map(prospectStore.toRow)).execute();
  const ends = fc.option(
    fc.oneof(moments, fc.integer({ min: NOW - 3, max: NOW + 40 * DAY_MS }), fc.constant(NOW + DAY_MS)),
  );
  const contracts = sample(
    { endDate: ends, signedAt: maybeMoment, terminatedAt: maybeMoment, autoRenew: fc.boolean(), externalIds },
    (contract, index) =>
      fillIn(
        contractResource,
        {
          ...{ id: makeId("contract"), playerId: players[index]?.id ?? "", teamId: null, kind: "loan" as const },
          ...{
            status: index % 5 === 0 ? ("draft" as const) : ("active" as const),
            startDate: 0,
            noticePeriodDays: null,
          },
          ...{ ...times, ...contract },
        },
        NOW,
      ),
  );
  await write.insertInto("contracts", contracts.map(contractStore.toRow)).execute();
}

function sample<T extends object, R>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  make: (values: T, index: number) => R,
): R[] {
  return fc.sample(fc.record(arbitraries) as unknown as fc.Arbitrary<T>, RECORDS).map(make);
}

const descending = (field: string) => ({ sort: { field, descending: true } });

test.each<[string, () => List<unknown>]>([
  ["players", () => selectPlayers(org, {})],
  ["players, the last first", () => selectPlayers(org, descending("id"))],
  ["players by name", () => selectPlayers(org, { sort: { field: "ign", descending: false } })],
  ["players by a field that many lack", () => selectPlayers(org, descending("teamId"))],
  ["teams", () => teamStore.list(org, {})],
  ["the roster", () => selectRoster(org, {})],
  ["the schedule", () => selectSchedule(org, { from: 0 }, NOW)],
  ["prospects", () => prospectStore.list(org, {})],
  ["prospects by rating", () => prospectStore.list(org, descending("rating"))],
  ["contracts", () => selectContracts(org, {}, NOW)],
  ["contracts by what time makes of them", () => selectContracts(org, descending("status"), NOW)],
  ["contracts that end soon", () => selectExpiringContracts(org, { days: 40 }, NOW)],
  ["an empty list", () => selectPlayers(org, { search: "nobody is called this" })],
])("%s are the bytes of their records, whole and in slices of any length", async (_, listOf) => {
  const { items } = await listOf().readPage(undefined);
  const wanted = JSON.stringify(items);
  for (const lengths of [[1], [7], [3, 1, 20], [RECORDS], [500]]) {
    const slices: Buffer[] = [];
    let [count, asked] = [0, 0];
    for await (const slice of listOf().readSlices(() => lengths[asked++ % lengths.length] ?? 1)) {
      expect(slice.count).toBeGreaterThan(0);
      slices.push(slice.bytes);
      count += slice.count;
    }
    expect(`[${slices.join("").slice(1)}]`).toBe(wanted);
    expect(count).toBe(items.length);
  }
  for (const length of [1, 10, 500]) {
    const { bytes, count } = await listOf().readBeginning(length);
    expect(`[${bytes.toString().slice(1)}]`).toBe(JSON.stringify(items.slice(0, length)));
    expect(count).toBe(Math.min(length, items.length));
    const slices = await Array.fromAsync(listOf().readSlices(() => 4, length));
    const joined = slices.map((slice) => slice.bytes.toString()).join("");
    expect(`[${joined.slice(1)}]`).toBe(JSON.stringify(items.slice(0, length)));
  }
});
