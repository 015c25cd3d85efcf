import { afterAll, beforeAll, expect, test } from "vitest";
import { drillCount, isDrill, SEED } from "../drill-count.ts";
import { Random } from "../stale/random.ts";
import { makeOrg } from "../test-server.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { Importer } from "./importer.ts";
import { drawSeason, type Season, sendSeason, withoutLines } from "./random-season.ts";

/** Of players; with all that hangs on them about twice as many rows. */
const PLAYERS = drillCount("importing", 40, 6_000);
const ROUNDS = isDrill ? 3 : 4;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());

test(`what is shown of ${ROUNDS} imports of ${PLAYERS} players with faults is what happens, and all that happens`, async () => {
  const random = new Random(SEED);
  const orgId = await makeOrg(world.server, "Pro", "Imports");
  await join(world.server, orgId, world.userIds.manager, "manager");
  const importer = new Importer(world.visitors.manager, orgId);
  for (let round = 0; round < ROUNDS; round++) {
    const mended = await mend(importer, drawSeason(random, { players: PLAYERS, faulty: 0.05 }));
    const shown = await importer.importAsShown(sendSeason(mended));
    expect(shown.tables.reduce((sum, { create, change }) => sum + create + change, 0)).toBeGreaterThan(0);
    const again = await importer.preview(sendSeason(mended));
    expect(again.tables.every(({ create, change, follow }) => create + change + follow === 0)).toBe(true);
  }
});

/** Takes out the rows that have faults until there are none. With faults nothing is imported, and an import names as many as were shown. */
async function mend(importer: Importer, season: Season): Promise<Season> {
  const files = sendSeason(season);
  const preview = await importer.preview(files);
  if (preview.faultTotal === 0) return season;
  expect(preview.fingerprint).toBeNull();
  const before = await importer.exported();
  const reply = await importer.apply(files, preview.fingerprint);
  expect(reply.code).toBe("VALIDATION_ERROR");
  expect(reply.body.error.message).toContain(preview.faultTotal === 1 ? "one fault" : `${preview.faultTotal} faults`);
  expect(await importer.exported()).toEqual(before);
  return mend(importer, withoutLines(season, await importer.rowsOf(files, preview, "fault")));
}
