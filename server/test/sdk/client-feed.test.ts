/** Following the change feed with the SDK. */
import { describe, expect, it, onTestFinished } from "vitest";
import { Lineup } from "../../../sdk/src/lineup.ts";
import { CursorExpiredError, LineupError } from "../../../sdk/src/lineup-error.ts";
import type { Change } from "../../../sdk/src/record-types.ts";
import { revokeKey } from "../../src/access/key-admin.ts";
import { erasePerson } from "../../src/erasure/erase-person.ts";
import { prospectRules } from "../../src/resources/prospects/prospect-rules.ts";
import { createRecord, tell } from "../../src/resources/record-writes.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, startTestServer } from "../test-server.ts";
import { answerWith, cutOff } from "./client-relay.ts";
import { deletePlayer, makeCaller, openWorld } from "./client-world.ts";

const QUICK = { pauseMs: 10 };
const nameOf = ({ type, reason }: Change) => (reason === null ? type : `${type} ${reason}`);

describe("who follows the feed", () => {
  it("gets the first page at once, then every change once and in order, deletions with their reason", async () => {
    const world = await openWorld();
    const { lineup, orgId } = await makeCaller(world);
    const from = await lineup.changes.latest();
    const seen: string[][] = [];
    const steps = [
      () => lineup.players.create({ ign: "Vex", role: "Player" }),
      async () => deletePlayer(world, orgId, (await lineup.players.list().toArray())[0]?.id ?? ""),
      () => lineup.prospects.create({ ign: "Nyx" }),
      async () =>
        erasePerson(world.server.store, orgId, (await lineup.prospects.list().toArray())[0]?.id ?? "", TEST_ORIGIN),
    ];
    for await (const { changes, cursor } of lineup.changes.follow({ from, ...QUICK })) {
      seen.push(changes.map(nameOf));
      expect(cursor).toEqual(expect.any(String));
      const step = steps.shift();
      if (step === undefined) break;
      await step();
    }
    expect(seen).toEqual([
      [],
      ["player.created"],
      ["player.deleted deleted"],
      ["prospect.created"],
      ["prospect.deleted erased"],
    ]);
  });

  it("goes on from the cursor that was kept, and misses nothing meanwhile", async () => {
    const world = await openWorld();
    const { lineup } = await makeCaller(world);
    let kept = await lineup.changes.latest({ type: ["player.created", "player.updated"] });
    const { id } = await lineup.players.create({ ign: "Vex", role: "Player" });
    await lineup.prospects.create({ ign: "Nyx" });
    const seen: string[] = [];
    for (const ign of ["A", "B", "C"]) {
      for await (const { changes, cursor } of lineup.changes.follow({ from: kept, ...QUICK })) {
        seen.push(...changes.map(nameOf));
        kept = cursor;
        break;
      }
      await lineup.players.update(id, { ign });
    }
    expect(seen).toEqual(["player.created", "player.updated", "player.updated"]);
  });

  it("reads more than a page without a pause", async () => {
    const world = await openWorld();
    const { lineup, orgId } = await makeCaller(world);
    const from = await lineup.changes.latest();
    await world.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      const context = { org, now: Date.now() };
      for (let count = 0; count < 520; count++) {
        await tell(context, await createRecord(context, prospectRules, { ign: `P${count}` }));
      }
    });
    const sizes: number[] = [];
    for await (const { changes } of lineup.changes.follow({ from, pauseMs: 3_600_000 })) {
      sizes.push(changes.length);
      if (sizes.length === 2) break;
    }
    expect(sizes).toEqual([500, 20]);
  });

  it("waits as the limits of the key allow where no pause is given", async () => {
    const world = await openWorld();
    const { lineup } = await makeCaller(world, { tier: "Free" });
    const ending = new AbortController();
    const following = lineup.changes.follow({ signal: ending.signal });
    expect((await following.next()).value.changes).toEqual([]);
    world.relay.takeRequests();
    const next = following.next();
    await lineup.me();
    ending.abort(new Error("closing"));
    await expect(next).rejects.toThrow(/^closing$/);
    expect(world.relay.takeRequests()).toEqual(["GET /api/public/v1/me"]);
  });

  it("outlasts a server that is away for longer than one call would", async () => {
    const world = await openWorld();
    const { lineup, retries } = await makeCaller(world, { attempts: 1 });
    world.relay.faults.push(cutOff, answerWith(503), cutOff, answerWith(429));
    for await (const { changes } of lineup.changes.follow(QUICK)) {
      expect(changes).toEqual([]);
      break;
    }
    expect([world.relay.requests.length, retries.length]).toEqual([5, 0]);
  });

  it("hears that the key was revoked", async () => {
    const world = await openWorld();
    const { lineup, keyId } = await makeCaller(world);
    const following = lineup.changes.follow(QUICK);
    await following.next();
    await revokeKey(world.server.store, keyId, TEST_ORIGIN);
    await expect(following.next()).rejects.toMatchObject({ name: "KeyError", code: "KEY_REVOKED" });
  });

  it("is told to read the lists again where the cursor is older than what is kept, or another feed's", async () => {
    const clock = new ManualClock();
    const server = await startTestServer({ clock });
    onTestFinished(() => server.stop());
    const orgId = await makeOrg(server);
    const { key } = await makeKey(server, orgId);
    const lineup = new Lineup({ baseUrl: server.baseUrl, key });
    const from = await lineup.changes.latest();
    await lineup.players.create({ ign: "Vex", role: "Player" });
    clock.advance(31 * 86_400_000);
    const late = lineup.changes.follow({ from }).next();
    await expect(late).rejects.toBeInstanceOf(CursorExpiredError);
    await expect(late).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      status: 400,
      message: /read the lists again/,
    });
    const ofType = (await lineup.changes.page({ type: "player.created", since: clock.wallMs() - 1 })).cursor;
    clock.advance(31 * 86_400_000);
    await lineup.players.create({ ign: "Nyx", role: "Player" });
    clock.advance(31 * 86_400_000);
    const page = lineup.changes.page({ cursor: ofType, type: "player.created" });
    await expect(page).rejects.toBeInstanceOf(CursorExpiredError);
    await expect(lineup.changes.follow({ from: "WyJhIl0" }).next()).rejects.toBeInstanceOf(CursorExpiredError);
    // These are mistakes of the call, which reading the lists again would not mend.
    for (const query of [{ since: 0 }, { cursor: await lineup.changes.latest(), type: "player.created" as const }]) {
      const refused = await lineup.changes.page(query).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(LineupError);
      expect(refused).not.toBeInstanceOf(CursorExpiredError);
    }
  });
});
