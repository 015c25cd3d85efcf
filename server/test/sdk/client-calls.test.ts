/** Every method of the SDK, against a real server. */
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS, type EndpointName } from "@lineup/api/endpoints";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { etagOf, Lineup } from "../../../sdk/src/lineup.ts";
import { ConflictError, KeyError, LineupError } from "../../../sdk/src/lineup-error.ts";
import { revokeKey } from "../../src/access/key-admin.ts";
import { makeId } from "../../src/store/ids.ts";
import { insertOneOfEach, type SampleRecord } from "../sample-records.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { ClientRelay } from "./client-relay.ts";
import { type Caller, type ClientWorld, makeCaller } from "./client-world.ts";

let server: TestServer;
let world: ClientWorld;
let caller: Caller;
let lineup: Lineup;
let records: Readonly<Record<string, SampleRecord>>;

beforeAll(async () => {
  server = await startTestServer();
  world = { server, relay: await ClientRelay.start(server.origin) };
  caller = await makeCaller(world);
  ({ lineup } = caller);
  records = await server.store.writeOrg(caller.orgId, TEST_ORIGIN, insertOneOfEach);
});
afterAll(async () => {
  world.relay.stop();
  await server.stop();
});

const idOf = (table: string) => records[table]?.id ?? "";

/** What does the work of each endpoint. One that is new in api/ is missing here, and this does not compile. */
const METHODS: Readonly<Record<EndpointName, () => Promise<unknown>>> = {
  listPlayers: () => lineup.players.list().toArray(),
  getPlayer: () => lineup.players.get(idOf("players")),
  createPlayer: () => lineup.players.create({ ign: "Vex", role: "Player" }),
  updatePlayer: () => lineup.players.update(idOf("players"), { nationality: "SE" }),
  listTeams: () => lineup.teams.list().toArray(),
  listRoster: () => lineup.roster.list().toArray(),
  listSchedule: () => lineup.schedule.list({ from: 0 }).toArray(),
  listProspects: () => lineup.prospects.list().toArray(),
  getProspect: () => lineup.prospects.get(idOf("prospects")),
  createProspect: () => lineup.prospects.create({ ign: "Nyx" }),
  updateProspect: () => lineup.prospects.update(idOf("prospects"), { priority: "high" }),
  listContracts: () => lineup.contracts.list().toArray(),
  getContract: () => lineup.contracts.get(idOf("contracts")),
  listExpiringContracts: () => lineup.contracts.expiring({ days: 365 }).toArray(),
  describeKey: () => lineup.me(),
  listChanges: () => lineup.changes.page({ since: Date.now() - 60_000 }).then(({ changes }) => changes),
};

describe("a method", () => {
  it.each(ENDPOINTS.map(({ name }) => name))(
    "asks its endpoint once, and gives what the records say: %s",
    async (name) => {
      const endpoint = ENDPOINTS.find((one) => one.name === name);
      if (endpoint === undefined) throw new Error(`There is no ${name}.`);
      world.relay.takeRequests();
      const result = await METHODS[name]();
      const path = (BASE_PATH + endpoint.path).replace("{id}", "\\w+");
      expect(world.relay.takeRequests()).toEqual([
        expect.stringMatching(new RegExp(`^${endpoint.method} ${path}(\\?|$)`)),
      ]);
      if (endpoint.list) expect(result).toEqual(expect.any(Array));
      for (const one of [result].flat()) expect(endpoint.result.safeParse(one).error, name).toBeUndefined();
    },
  );
});

describe("a list", () => {
  const igns = ["Ada", "Bo", "Cy", "Di", "Ed"];
  let team: Caller;
  const names = async (list: AsyncIterable<{ ign: string }>) => {
    const found: string[] = [];
    for await (const { ign } of list) found.push(ign);
    return found;
  };

  beforeAll(async () => {
    team = await makeCaller(world);
    for (const ign of igns) {
      const status = ign === "Ed" ? "benched" : ign === "Di" ? "inactive" : "active";
      await team.lineup.players.create({ ign, role: "Player", status, externalIds: { crm: `${ign}, once` } });
    }
    world.relay.takeRequests();
  });

  it("is one request without a limit, made when it is walked", async () => {
    const list = team.lineup.players.list({ sort: "-ign" });
    expect(world.relay.takeRequests()).toEqual([]);
    expect(await names(list)).toEqual(igns.toReversed());
    expect(world.relay.takeRequests()).toHaveLength(1);
  });

  it("is a request a page with one", async () => {
    const sizes: number[] = [];
    for await (const { data } of team.lineup.players.list({ limit: 2 }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect(await names(team.lineup.players.list({ limit: 2 }))).toEqual(igns);
    expect(world.relay.takeRequests()).toHaveLength(6);
    const first = await team.lineup.players.list({ limit: 4 }).page();
    expect(first).toMatchObject({ nextCursor: expect.any(String), requestId: expect.stringMatching(/^req_/) });
    const last = await team.lineup.players.list().page(first.nextCursor ?? "");
    expect([last.data.map(({ ign }) => ign), last.nextCursor]).toEqual([["Ed"], null]);
  });

  it("takes every form that a filter has", async () => {
    const { players } = team.lineup;
    expect(await names(players.list({ status: ["benched", "inactive"], search: undefined }))).toEqual(["Di", "Ed"]);
    // As one that JavaScript writes, which no type keeps from it.
    const unset = { status: "inactive", search: null as unknown as string } as const;
    expect(await names(players.list(unset))).toEqual(await names(players.list({ status: "inactive" })));
    expect(await names(players.list({ status: "benched", teamId: "none" }))).toEqual(["Ed"]);
    expect(await names(players.list({ externalId: "crm:Bo, once" }))).toEqual(["Bo"]);
    const later = new Date(Date.now() + 3_600_000);
    for (const updatedSince of [later, later.toISOString(), later.getTime()]) {
      expect(await names(players.list({ updatedSince }))).toEqual([]);
    }
  });

  it("stops asking when nobody walks on", async () => {
    world.relay.takeRequests();
    for await (const player of team.lineup.players.list({ limit: 1 })) if (player.ign === "Bo") break;
    expect(world.relay.takeRequests()).toHaveLength(2);
  });
});

describe("a write", () => {
  it("of a record that others have changed is refused where it says which version it saw", async () => {
    const made = await lineup.players.create({ ign: "Vex", role: "Player" });
    const read = await lineup.players.get(made.id);
    expect(etagOf(read)).toBe(etagOf(made));
    const changed = await lineup.players.update(made.id, { ign: "Vexx" }, { ifMatch: etagOf(read) });
    const late = lineup.players.update(made.id, { ign: "Vexed" }, { ifMatch: etagOf(read) });
    await expect(late).rejects.toBeInstanceOf(ConflictError);
    await expect(late).rejects.toMatchObject({ code: "VALIDATION_ERROR", status: 400 });
    const mistaken = lineup.players.update(made.id, { ign: "Vexed" }, { ifMatch: "abc" });
    await expect(mistaken).rejects.toThrow(/^ifMatch must be the etag/);
    expect(await lineup.players.update(made.id, { ign: "Vexed" }, { ifMatch: etagOf(changed) })).toMatchObject({
      ign: "Vexed",
    });
    expect(() => etagOf({ ...made })).toThrow(/has no ETag/);
  });

  it("under a key of the caller's own is made once", async () => {
    const create = () => lineup.players.create({ ign: "Once", role: "Player" }, { idempotencyKey: "job-17" });
    expect((await create()).id).toBe((await create()).id);
    expect(await lineup.players.list({ search: "Once" }).toArray()).toHaveLength(1);
  });
});

describe("an error", () => {
  const faultOf = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.unreachable("It was answered."),
      (error: unknown) => error as LineupError,
    );

  it("has code, status, details, request id and the words of the server", async () => {
    const error = await faultOf(lineup.players.create({ ign: "", role: "Player", nationality: "Sweden" }));
    expect(error).toBeInstanceOf(LineupError);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", status: 400, requestId: expect.stringMatching(/^req_/) });
    expect(error.details.map(({ field }) => field)).toEqual(["ign", "nationality"]);
    expect(server.logged()).toContain(error.requestId);
    expect(await faultOf(lineup.players.get(makeId("player")))).toMatchObject({
      code: "NOT_FOUND",
      status: 404,
      mayRetry: false,
    });
    expect(await faultOf(lineup.players.list({ limit: 501 }).page())).toMatchObject({ code: "INVALID_PARAMETER" });
    expect(await faultOf(lineup.players.create({ ign: "Vex", role: "Mid" }))).toMatchObject({ code: "INVALID_ROLE" });
    const { lineup: reader } = await makeCaller(world, { permissions: ["teams:read"] });
    expect(await faultOf(reader.players.list().toArray())).toMatchObject({
      code: "INSUFFICIENT_PERMISSIONS",
      message: expect.stringContaining("players:read"),
    });
  });

  it("says of a key that nobody has, or that was revoked, which it is, and is not tried again", async () => {
    const own = await makeCaller(world);
    await own.lineup.me();
    await revokeKey(server.store, own.keyId, TEST_ORIGIN);
    const revoked = await faultOf(own.lineup.players.list().toArray());
    expect(revoked).toBeInstanceOf(KeyError);
    expect(revoked).toMatchObject({ code: "KEY_REVOKED", status: 403 });
    const stranger = new Lineup({ baseUrl: world.relay.origin, key: "lineup_live_nobody" });
    expect(await faultOf(stranger.me())).toMatchObject({ code: "INVALID_API_KEY", name: "KeyError" });
    expect(own.retries).toEqual([]);
  });

  it("is thrown before anything is asked where the call itself is none", async () => {
    world.relay.takeRequests();
    await expect(lineup.contracts.get("expiring")).rejects.toThrow(TypeError);
    const unsendable = { idempotencyKey: "two\nlines" };
    await expect(lineup.players.create({ ign: "Vex", role: "Player" }, unsendable)).rejects.toThrow(TypeError);
    await expect(lineup.players.create({ ign: 1n as unknown as string, role: "Player" })).rejects.toThrow(TypeError);
    await expect(lineup.players.get("..")).rejects.toThrow(/is not the id of a record/);
    expect([world.relay.takeRequests(), caller.retries]).toEqual([[], []]);
  });
});
