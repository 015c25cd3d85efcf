/** Lists of more than one slice: complete, in order, and of one moment. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { searchTextOf } from "../../src/store/record-rows.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";

const PLAYERS = 3_500;

let server: TestServer;
let orgId: string;
let key: string;
const ids: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  orgId = await makeOrg(server);
  key = (await makeKey(server, orgId)).key;
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (let start = 0; start < PLAYERS; start += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => playerRow(`Player ${(start + index) % 700}`));
      ids.push(...rows.map((row) => row.id));
      await org.insertInto("players", rows).execute();
    }
  });
});

afterAll(() => server.stop());

function playerRow(ign: string) {
  return {
    id: makeId("player"),
    ign,
    real_name: "",
    role: "Player",
    team_id: null,
    contract_status: "unsigned" as const,
    join_date: 0,
    status: "active" as const,
    nationality: null,
    image_url: null,
    stats: null,
    external_ids: "{}",
    search_text: searchTextOf(ign, ""),
    created_at: 1,
    updated_at: 1,
  };
}

describe("a whole list of many slices", () => {
  it("holds everything once, in order of creation", async () => {
    const { body } = await call(server, "GET", "/players", { key });
    expect(body.meta.count).toBe(PLAYERS);
    expect(body.data.map((player: { id: string }) => player.id)).toEqual(ids);
  });

  it("holds everything once in an order of the client's choice", async () => {
    const { body } = await call(server, "GET", "/players?sort=-ign", { key });
    const got = body.data.map((player: { ign: string; id: string }) => [player.ign, player.id]);
    const wanted = [...got].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a > b ? -1 : 1));
    expect(got).toEqual(wanted);
    expect(new Set(got.map(([, id]: [string, string]) => id)).size).toBe(PLAYERS);
  });

  it("shows one moment, whatever is written while it is read", async () => {
    const ends = [ids[0] as string, ids.at(-1) as string];
    // Both ends of the list change together, or not at all.
    const write = (round: number) =>
      server.store.writeOrg(orgId, TEST_ORIGIN, (org) =>
        org
          .updateTable("players")
          .set({ ign: `Round ${round}` })
          .where("id", "in", ends)
          .execute(),
      );
    await write(0);
    let isReading = true;
    const writing = (async () => {
      for (let round = 1; isReading; round++) {
        // SQLite answers at once: without this, nothing else would ever have its turn.
        await nextTurn();
        await write(round);
      }
    })();
    const seen = new Set<string>();
    for (let read = 0; read < 12; read++) {
      const { body } = await call(server, "GET", "/players", { key });
      expect(body.data.at(-1).ign).toBe(body.data[0].ign);
      seen.add(body.data[0].ign);
    }
    isReading = false;
    await writing;
    // Without writes in between, nothing would have been proved.
    expect(seen.size).toBeGreaterThan(1);
  });

  it("lets others be served while it is read", async () => {
    const order: string[] = [];
    const long = call(server, "GET", "/players?status=active", { key }).then(() => order.push("list"));
    const short = call(server, "GET", "/me", { key }).then(() => order.push("me"));
    await Promise.all([long, short]);
    expect(order).toEqual(["me", "list"]);
  });
});
