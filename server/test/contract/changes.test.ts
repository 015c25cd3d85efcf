/** `GET /changes`: all that a key may read, in the order of commits, none skipped and none twice. */
import { CHANGE_TYPES, type ChangeType } from "@lineup/api/change-types";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeKey, makeOrg } from "../test-server.ts";
import { checkedCall, expectError, openStage, type Stage } from "./checked-call.ts";
import { DAY_MS } from "./seed-records.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());
beforeEach(() => stage.clock.advance(60_000));

const createPlayer = async (body: object = {}): Promise<string> =>
  (await stage.api("POST", "/players", { ign: "Vex", role: "Player", ...body })).body.data.id;

/** Where the feed stands now. */
const findCursor = async (query = ""): Promise<string> =>
  (await stage.api("GET", `/changes${query}`)).body.meta.nextCursor;

describe("the change feed", () => {
  it("begins with now, and goes on with what comes after", async () => {
    await createPlayer();
    const first = await stage.api("GET", "/changes");
    expect([first.body.data, first.body.meta.count]).toEqual([[], 0]);
    const id = await createPlayer({ ign: "Nyx", nationality: "SE" });
    await stage.api("PATCH", `/players/${id}`, { status: "benched" });
    const { body, headers } = await stage.api("GET", `/changes?cursor=${first.body.meta.nextCursor}`);
    expect(body.data).toMatchObject([
      { type: "player.created", resourceId: id, occurredAt: stage.clock.wallMs(), days: null, reason: null },
      { type: "player.updated", resourceId: id, fields: ["status"] },
    ]);
    expect(body.data[0].fields).toEqual(expect.arrayContaining(["ign", "role", "nationality"]));
    expect(body.data[1].sequence).toBeGreaterThan(body.data[0].sequence);
    expect(headers.get("link")).toBe(`</api/public/v1/changes?cursor=${body.meta.nextCursor}>; rel="next"`);
    expect(JSON.stringify(body.data)).not.toMatch(/Nyx|benched|SE"/);
  });

  it("is read in pages of any size, each change once and always with the same id", async () => {
    const start = await findCursor();
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push(await createPlayer());
    const whole = (await stage.api("GET", `/changes?cursor=${start}`)).body.data;
    expect(whole.map(({ resourceId }: { resourceId: string }) => resourceId)).toEqual(ids);
    for (const limit of [1, 2, 3, 7, 500]) {
      const walked: unknown[] = [];
      for (let next = `cursor=${start}&limit=${limit}`; ; ) {
        const { data, meta } = (await stage.api("GET", `/changes?${next}`)).body;
        walked.push(...data);
        if (data.length < limit) break;
        next = `cursor=${meta.nextCursor}`;
      }
      expect(walked).toEqual(whole);
    }
  });

  it("stands still at its end until something happens", async () => {
    const cursor = await findCursor();
    const next = (await stage.api("GET", `/changes?cursor=${cursor}`)).body.meta.nextCursor;
    expect(next).toBe(cursor);
  });

  it("shows a key the kinds that it may read, and no others", async () => {
    const start = await findCursor();
    const player = await createPlayer();
    const prospect = (await stage.api("POST", "/prospects", { ign: "Kai" })).body.data.id;
    const seen = async (permissions: Parameters<typeof makeKey>[2]) => {
      const { key } = await makeKey(stage.server, stage.seed.orgId, permissions);
      const { data } = (await checkedCall(stage.server, "GET", `/changes?cursor=${start}`, { key })).body;
      return data.map(({ resourceId }: { resourceId: string }) => resourceId);
    };
    expect(await seen(["players:read"])).toEqual([player]);
    expect(await seen(["prospects:read"])).toEqual([prospect]);
    expect(await seen(["players:read", "prospects:read"])).toEqual([player, prospect]);
    expect(await seen(["schedule:read", "players:write"])).toEqual([]);
  });

  it("says which permission a type needs, and that a key without any read permission sees nothing", async () => {
    const ask = async (permissions: Parameters<typeof makeKey>[2], query = "") => {
      const { key } = await makeKey(stage.server, stage.seed.orgId, permissions);
      return checkedCall(stage.server, "GET", `/changes${query}`, { key });
    };
    const closed = await ask(["players:read"], "?type=player.created,contract.expired");
    expectError(closed, "INSUFFICIENT_PERMISSIONS");
    expect(closed.body.error.message).toContain("contracts:read");
    expectError(await ask(["players:write", "prospects:write"]), "INSUFFICIENT_PERMISSIONS");
  });

  it("is narrowed to types, which its cursor remembers", async () => {
    const start = await findCursor("?type=player.updated");
    const id = await createPlayer();
    await stage.api("PATCH", `/players/${id}`, { status: "inactive" });
    const { data } = (await stage.api("GET", `/changes?cursor=${start}`)).body;
    expect(data.map(({ type }: { type: ChangeType }) => type)).toEqual(["player.updated"]);
    expectError(await stage.api("GET", `/changes?cursor=${start}&type=player.created`), "INVALID_PARAMETER");
    expectError(await stage.api("GET", `/changes?cursor=${start}&since=${stage.clock.wallMs()}`), "INVALID_PARAMETER");
    expect((await stage.api("GET", `/changes?type=${CHANGE_TYPES}`)).status).toBe(200);
    const several = await findCursor("?type=player.created,player.updated");
    const turned = await stage.api("GET", `/changes?cursor=${several}&type=player.updated,player.created`);
    expect(turned.status).toBe(200);
    expectError(await stage.api("GET", `/changes?cursor=${several}&type=player.updated`), "INVALID_PARAMETER");
  });

  it("begins earlier with since, inclusive", async () => {
    const id = await createPlayer();
    const moment = stage.clock.wallMs();
    stage.clock.advance(1);
    const later = await createPlayer();
    const idsSince = async (since: number) =>
      (await stage.list(`/changes?since=${since}&type=player.created`)).map(({ resourceId }) => resourceId);
    expect(await idsSince(moment)).toEqual([id, later]);
    expect(await idsSince(moment + 1)).toEqual([later]);
    const ahead = await stage.api("GET", `/changes?since=${moment + 60_002}`);
    expectError(ahead, "INVALID_PARAMETER");
    expect(ahead.body.error.message).toContain("lies in the future");
    stage.clock.advance(1);
    expect(await idsSince(moment + 2)).toEqual([]);
    expectError(await stage.api("GET", `/changes?since=${moment - 30 * DAY_MS - 1}`), "INVALID_PARAMETER");
  });

  it("begins with since where a write comes in between, and skips nothing", async () => {
    for (let round = 0; round < 10; round++) {
      const since = stage.clock.wallMs();
      const writing = createPlayer();
      await new Promise((resolve) => setTimeout(resolve, round % 5));
      const first = await stage.api("GET", `/changes?type=player.created&since=${since}`);
      const id = await writing;
      const rest = await stage.api("GET", `/changes?cursor=${first.body.meta.nextCursor}`);
      const seen = [...first.body.data, ...rest.body.data].map(({ resourceId }) => resourceId);
      expect(seen).toEqual([id]);
      stage.clock.advance(1_000);
    }
  });

  it("is caught up with after 29 days, and after 31 says to read the lists again", async () => {
    const start = await findCursor();
    const id = await createPlayer();
    stage.clock.advance(29 * DAY_MS);
    const { data } = (await stage.api("GET", `/changes?cursor=${start}`)).body;
    expect(data[0].resourceId).toBe(id);
    stage.clock.advance(2 * DAY_MS);
    const late = await stage.api("GET", `/changes?cursor=${start}`);
    expectError(late, "INVALID_PARAMETER");
    expect(late.body.error.message).toContain("read the lists again");
    // Who has missed nothing may stay away for as long as they like.
    const current = await findCursor();
    stage.clock.advance(400 * DAY_MS);
    // A key that is made is an entry of the log, and no change.
    await makeKey(stage.server, stage.seed.orgId);
    expect((await stage.api("GET", `/changes?cursor=${current}`)).body.data).toEqual([]);
    const later = await createPlayer();
    expect((await stage.list(`/changes?cursor=${current}`))[0].resourceId).toBe(later);
  });

  it("is of one organization alone, and so are its cursors", async () => {
    const other = await makeOrg(stage.server);
    const { key } = await makeKey(stage.server, other);
    const theirs = await checkedCall(stage.server, "GET", "/changes", { key });
    await checkedCall(stage.server, "POST", "/players", { key, body: { ign: "Theirs", role: "Player" } });
    const start = await findCursor();
    expect((await stage.api("GET", `/changes?cursor=${start}`)).body.data).toEqual([]);
    expectError(await stage.api("GET", `/changes?cursor=${theirs.body.meta.nextCursor}`), "INVALID_PARAMETER");
  });

  it.each([
    "x",
    "W10",
    Buffer.from('["x",1,"",2,null]').toString("base64url"),
    Buffer.from("{}").toString("base64url"),
  ])("refuses the cursor %s, which it never gave out", async (cursor) =>
    expectError(await stage.api("GET", `/changes?cursor=${cursor}`), "INVALID_PARAMETER"),
  );
});
