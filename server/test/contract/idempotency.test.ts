/** A write under an `Idempotency-Key`: made once, and answered as often as it is asked for. */
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { revokeKey } from "../../src/access/key-admin.ts";
import { erasePerson } from "../../src/erasure/erase-person.ts";
import { playerRules } from "../../src/resources/players/player-rules.ts";
import { prospectRules } from "../../src/resources/prospects/prospect-rules.ts";
import { deleteRecord, tell } from "../../src/resources/record-writes.ts";
import { makeId } from "../../src/store/ids.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type Reply, startTestServer, type TestServer } from "../test-server.ts";
import { alterStore, dropTestStore } from "../test-store.ts";
import { checkedCall, expectError, openStage, type Stage } from "./checked-call.ts";
import { exampleBody, expectedStatus, ownPath } from "./endpoint-requests.ts";
import { DAY_MS } from "./seed-records.ts";

let stage: Stage;
let key: string;
let unused = 0;

beforeAll(async () => {
  stage = await openStage();
  key = (await makeKey(stage.server, stage.seed.orgId)).key;
});
afterAll(() => stage.stop());
beforeEach(() => stage.clock.advance(60_000));

const PLAYER = { ign: "Vex", role: "Player" };
const newKey = () => `key-${++unused}`;

function send(method: string, path: string, idempotencyKey: string, body: unknown, apiKey = key): Promise<Reply> {
  const headers = { "idempotency-key": idempotencyKey };
  return checkedCall(stage.server, method, path, { key: apiKey, body, headers });
}

const create = (idempotencyKey: string, body: unknown = PLAYER, apiKey?: string) =>
  send("POST", "/players", idempotencyKey, body, apiKey);

const isReplayed = ({ headers }: Reply) => headers.get("idempotent-replayed") === "true";

async function countPlayers(): Promise<number> {
  return (await checkedCall(stage.server, "GET", "/players", { key })).body.meta.count;
}

function expectRefusedHeader(reply: Reply, name = "Idempotency-Key"): void {
  expectError(reply, "VALIDATION_ERROR");
  expect(reply.body.error.details).toMatchObject([{ field: name }]);
  expect(reply.body.error.message).toContain(name);
}

/** All that the two must have in common. */
function expectSameAnswer(again: Reply, first: Reply): void {
  expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
  for (const name of ["location", "etag"]) expect(again.headers.get(name), name).toBe(first.headers.get(name));
  expect([isReplayed(first), isReplayed(again)]).toEqual([false, true]);
  const requestIds = [first, again].map(({ headers }) => headers.get("x-request-id"));
  expect(requestIds).toEqual([first.body.meta.requestId, expect.not.stringMatching(`^${first.body.meta.requestId}$`)]);
}

describe.each(ENDPOINTS.filter((one) => one.method !== "GET"))("$method $path", (endpoint) => {
  const write = (idempotencyKey: string) =>
    send(endpoint.method, ownPath(endpoint, stage.seed), idempotencyKey, exampleBody(endpoint));

  it("is made once, however often it is sent", async () => {
    const idempotencyKey = newKey();
    const first = await write(idempotencyKey);
    expect(first.status).toBe(expectedStatus(endpoint));
    const { store } = stage.server;
    const stateOf = async () => ({
      revision: await store.revisionOf(stage.seed.orgId),
      audit: await store.org(stage.seed.orgId).readAuditEnd(),
    });
    const before = await stateOf();
    for (let time = 0; time < 3; time++) {
      stage.clock.advance(1_000);
      expectSameAnswer(await write(idempotencyKey), first);
    }
    expect(await stateOf()).toEqual(before);
  });

  it("is answered as then, though the record has changed since", async () => {
    const idempotencyKey = newKey();
    const path = ownPath(endpoint, stage.seed);
    const body = { ign: "Then", ...(endpoint.body.required.some((field) => field === "role") ? PLAYER : {}) };
    const first = await send(endpoint.method, path, idempotencyKey, body);
    const record = `/${endpoint.path.split("/")[1]}/${first.body.data.id}`;
    await checkedCall(stage.server, "PATCH", record, { key, body: { ign: "Now" } });
    const again = await send(endpoint.method, path, idempotencyKey, body);
    expectSameAnswer(again, first);
    expect((await checkedCall(stage.server, "GET", record, { key })).body.data.ign).toBe("Now");
  });

  it.each(["", " ", "a b", "\u00e9", "a, b", '"', '"a', '"a"b"', '""', '"a b"', '"a\\b"', `"a";p=1`, "x".repeat(256)])(
    "refuses the key %j, and writes nothing",
    async (idempotencyKey) => {
      const { count } = await stage.server.store.org(stage.seed.orgId).readAuditEnd();
      expectRefusedHeader(await write(idempotencyKey));
      expect((await stage.server.store.org(stage.seed.orgId).readAuditEnd()).count).toBe(count);
    },
  );
});

describe("a key", () => {
  it.each(["!", "~".repeat(255), "a,b", "0d5c1e0a-6f0e-4a57-9a6c-0b8f5a3f7c11", 'a"b', "a\\b"])(
    "may be %j, and is the same in quotes",
    async (idempotencyKey) => {
      const first = await create(idempotencyKey);
      expectSameAnswer(await create(JSON.stringify(idempotencyKey)), first);
    },
  );

  it("is refused where it is sent twice", async () => {
    for (const twice of [
      ["one", "two"],
      ['"one', 'two"'],
      ["one", ""],
    ]) {
      expect(await sendRepeated(twice)).toEqual({ code: "VALIDATION_ERROR", fields: ["Idempotency-Key"] });
    }
  });

  it("is told of with all that is wrong with the body, and before it is looked whether there is such a record", async () => {
    const reply = await send("PATCH", `/players/${makeId("player")}`, "a b", { ign: "", nosuchfield: 1 });
    expectError(reply, "VALIDATION_ERROR");
    expect(reply.body.error.details.map(({ field }: { field: string }) => field)).toEqual([
      "Idempotency-Key",
      "ign",
      "nosuchfield",
    ]);
    expect(reply.body.error.message).toContain("request has 3 faults");
    expectRefusedHeader(await send("PATCH", `/players/${makeId("player")}`, "a b", { ign: "Vex" }));
  });

  it("says nothing about what is only read", async () => {
    for (const path of ["/players", "/me"]) {
      const read = await checkedCall(stage.server, "GET", path, { key, headers: { "idempotency-key": "a b" } });
      expect(read.status).toBe(200);
    }
  });

  it("belongs to the API key, within its organization", async () => {
    const idempotencyKey = newKey();
    const colleague = (await makeKey(stage.server, stage.seed.orgId)).key;
    const stranger = (await makeKey(stage.server, await makeOrg(stage.server))).key;
    const made = [];
    for (const apiKey of [key, colleague, stranger]) made.push(await create(idempotencyKey, PLAYER, apiKey));
    expect(made.map(isReplayed)).toEqual([false, false, false]);
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(3);
    for (const [index, apiKey] of [key, colleague, stranger].entries()) {
      expectSameAnswer(await create(idempotencyKey, PLAYER, apiKey), made[index] as Reply);
    }
  });

  it("is not used for another request", async () => {
    const idempotencyKey = newKey();
    const { id } = (await create(idempotencyKey)).body.data;
    const before = await countPlayers();
    for (const [method, path, body] of [
      ["POST", "/players", { ...PLAYER, ign: "Vexx" }],
      ["POST", "/players", { ...PLAYER, realName: "" }],
      ["POST", "/prospects", PLAYER],
      ["PATCH", `/players/${id}`, PLAYER],
    ] as const) {
      const reply = await send(method, path, idempotencyKey, body);
      expectRefusedHeader(reply);
      expect(reply.body.error.message).toContain("another request");
    }
    expect(await countPlayers()).toBe(before);
    const other = newKey();
    const { id: otherId } = (await create(newKey())).body.data;
    await send("PATCH", `/players/${id}`, other, { ign: "One" });
    expectRefusedHeader(await send("PATCH", `/players/${otherId}`, other, { ign: "One" }));
  });

  it("knows the request by what it says, however its JSON is written", async () => {
    const idempotencyKey = newKey();
    const first = await create(idempotencyKey, { ...PLAYER, stats: { b: 1, a: "x" }, externalIds: { y: newKey() } });
    const { externalIds } = first.body.data;
    const rewritten = `{ "stats": {"a":"\\u0078", "b":1.0}, "externalIds": ${JSON.stringify(externalIds)},\n "role":"Player", "ign" : "Vex" }`;
    expectSameAnswer(await create(idempotencyKey, rewritten), first);
  });

  it("is free again after 24 hours, and not before", async () => {
    const idempotencyKey = newKey();
    const first = await create(idempotencyKey);
    stage.clock.advance(DAY_MS - 1);
    expectSameAnswer(await create(idempotencyKey), first);
    stage.clock.advance(1);
    const other = { ...PLAYER, ign: "Another" };
    const second = await create(idempotencyKey, other);
    expect([second.status, isReplayed(second)]).toEqual([201, false]);
    expectSameAnswer(await create(idempotencyKey, other), second);
    expectRefusedHeader(await create(idempotencyKey));
    stage.clock.advance(3 * DAY_MS);
    expect(isReplayed(await create(idempotencyKey, other))).toBe(false);
  });

  it("keeps nothing of what was refused, so that it can be corrected and sent again", async () => {
    const idempotencyKey = newKey();
    expectError(await create(idempotencyKey, { ign: "" }), "VALIDATION_ERROR");
    expectError(await create(idempotencyKey, { ...PLAYER, role: "Mid" }), "INVALID_ROLE");
    expectError(await send("PATCH", `/players/${makeId("player")}`, idempotencyKey, { ign: "Vex" }), "NOT_FOUND");
    const made = await create(idempotencyKey);
    expect([made.status, isReplayed(made)]).toEqual([201, false]);
  });

  it("opens nothing: limits and the state of the API key come first", async () => {
    const idempotencyKey = newKey();
    const own = await makeKey(stage.server, await makeOrg(stage.server, "Free"));
    const left = async () => {
      const reply = await create(idempotencyKey, PLAYER, own.key);
      return reply.status === 201 ? Number(reply.headers.get("x-ratelimit-remaining")) : reply.body.error.code;
    };
    for (let remaining = 9; remaining >= 0; remaining--) expect(await left()).toBe(remaining);
    expect(await left()).toBe("RATE_LIMIT_EXCEEDED");
    stage.clock.advance(60_000);
    await revokeKey(stage.server.store, own.id, TEST_ORIGIN);
    expect(await left()).toBe("KEY_REVOKED");
  });
});

describe("a record that is gone since", () => {
  const DELETED = { player: playerRules, prospect: prospectRules };
  const leave = (kind: "player" | "prospect", id: string) =>
    stage.server.store.writeOrg(stage.seed.orgId, TEST_ORIGIN, async (org) => {
      const context = { org, now: stage.clock.wallMs() };
      await tell<object>(context, await deleteRecord(context, DELETED[kind] as typeof playerRules, id));
    });
  const erase = (id: string) =>
    erasePerson(stage.server.store, stage.seed.orgId, id, TEST_ORIGIN, stage.clock.wallMs());

  /** A creation and a change of one record, each under a key of its own. */
  async function writeBoth(kind: "player" | "prospect") {
    const body = { ...PLAYER, realName: "Not Twice" };
    const [first, second] = [newKey(), newKey()];
    const create = () => send("POST", `/${kind}s`, first, body);
    const made = await create();
    const change = () => send("PATCH", `/${kind}s/${made.body.data.id}`, second, { ign: "Vexx" });
    return { id: made.body.data.id as string, made, changed: await change(), create, change };
  }
  const readEnd = () => stage.server.store.org(stage.seed.orgId).readAuditEnd();

  it.each(["player", "prospect"] as const)("by a deletion of the %s is answered as then", async (kind) => {
    const { id, made, changed, create, change } = await writeBoth(kind);
    await leave(kind, id);
    const end = await readEnd();
    expectSameAnswer(await create(), made);
    expectSameAnswer(await change(), changed);
    expect(await readEnd()).toEqual(end);
  });

  it.each(["player", "prospect"] as const)("by an erasure of the %s is refused, and not made again", async (kind) => {
    for (const isDeletedFirst of [false, true]) {
      const { id, create, change } = await writeBoth(kind);
      if (isDeletedFirst) await leave(kind, id);
      await erase(id);
      const end = await readEnd();
      for (const again of [create, change]) {
        const reply = await again();
        expectRefusedHeader(reply);
        expect(reply.body.error.message).toContain("what this request made was erased since");
      }
      expect(await readEnd()).toEqual(end);
    }
  });
});

it("the answer is there after a restart, also of what was deleted since, and what was erased stays refused", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-replay-"));
  try {
    const first = await startTestServer({ dataDir });
    const orgId = await makeOrg(first);
    const { key: apiKey } = await makeKey(first, orgId);
    const create = (server: TestServer, idempotencyKey: string) =>
      call(server, "POST", "/players", { key: apiKey, body: PLAYER, headers: { "idempotency-key": idempotencyKey } });
    const kept = await create(first, "kept");
    const deleted = await create(first, "deleted");
    const erased = await create(first, "erased");
    await first.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      const context = { org, now: Date.now() };
      await tell(context, await deleteRecord(context, playerRules, deleted.body.data.id));
    });
    await erasePerson(first.store, orgId, erased.body.data.id, TEST_ORIGIN);
    await first.stop();
    const second = await startTestServer({ dataDir });
    try {
      expectSameAnswer(await create(second, "kept"), kept);
      expectSameAnswer(await create(second, "deleted"), deleted);
      expectRefusedHeader(await create(second, "erased"));
      expect((await call(second, "GET", "/players", { key: apiKey })).body.meta.count).toBe(1);
    } finally {
      await second.stop();
    }
  } finally {
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
});

it("a write without a key asks nothing of the kept answers", async () => {
  const server = await startTestServer();
  try {
    const { key: apiKey } = await makeKey(server, await makeOrg(server));
    await alterStore(server.dataDir, "ALTER TABLE idempotent_writes RENAME TO kept_elsewhere");
    const made = await call(server, "POST", "/players", { key: apiKey, body: PLAYER });
    expect(made.status).toBe(201);
    const headers = { "if-match": made.headers.get("etag") ?? "" };
    const options = { key: apiKey, body: { ign: "Vexx" }, headers };
    expect((await call(server, "PATCH", `/players/${made.body.data.id}`, options)).status).toBe(200);
    const keyed = { key: apiKey, body: PLAYER, headers: { "idempotency-key": "one" } };
    expect((await call(server, "POST", "/players", keyed)).status).toBe(500);
  } finally {
    await server.stop();
  }
});

/** With the header repeated, which fetch would make one of. */
function sendRepeated(keys: readonly string[]): Promise<{ code: string; fields: string[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: string; fields: string[] }>();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": [...keys] };
  const outgoing = httpRequest(`${stage.server.baseUrl}/players`, { method: "POST", headers }, (response) => {
    json(response)
      .then((body) => {
        const { error } = body as { error: { code: string; details: { field: string }[] } };
        resolve({ code: error.code, fields: error.details.map(({ field }) => field) });
      })
      .catch(reject);
  });
  outgoing.on("error", reject);
  outgoing.end(JSON.stringify(PLAYER));
  return promise;
}
