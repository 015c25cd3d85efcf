/** Clients that ask for large lists and do not read them: what they hold is bounded, and nobody else waits for them. */
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readWholeList } from "../../src/http/list-answer.ts";
import { makeId } from "../../src/store/ids.ts";
import { searchTextOf } from "../../src/store/search-text.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { HOST, PREFIX } from "./hostile-case.ts";

const PLAYERS = 1_200;
/** A page of these is more than the system keeps for a connection that nobody reads, and than the server keeps for the next. */
const LARGE_STATS = JSON.stringify({ note: "n".repeat(20_000) });
/** A list of these is small enough to be kept, and large all the same. */
const KEPT_STATS = JSON.stringify({ note: "n".repeat(4_000) });

const WITHIN = { timeout: 10_000 };

let server: TestServer;
let orgId: string;
let key: string;
let otherKey: string;
let keptKey: string;
const readers: Socket[] = [];

beforeAll(async () => {
  server = await startTestServer();
  orgId = await makeOrg(server);
  key = await keyOfOrgWith(LARGE_STATS, orgId);
  otherKey = await keyOfOrgWith(null);
  keptKey = await keyOfOrgWith(KEPT_STATS);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.destroy();
});
afterAll(() => server.stop());

async function keyOfOrgWith(stats: string | null, id?: string): Promise<string> {
  const org = id ?? (await makeOrg(server));
  await server.store.writeOrg(org, TEST_ORIGIN, async (store) => {
    for (let start = 0; start < PLAYERS; start += 200) {
      await store
        .insertInto(
          "players",
          Array.from({ length: 200 }, () => playerRow(stats)),
        )
        .execute();
    }
  });
  return (await makeKey(server, org)).key;
}

function playerRow(stats: string | null) {
  return {
    id: makeId("player"),
    ign: "Vex",
    real_name: "",
    role: "Player",
    team_id: null,
    contract_status: "unsigned" as const,
    join_date: 0,
    status: "active" as const,
    nationality: null,
    image_url: null,
    stats,
    external_ids: "{}",
    search_text: searchTextOf("Vex", ""),
    created_at: 1,
    updated_at: 1,
  };
}

function request(path: string, of = key): string {
  return `GET ${PREFIX}${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${of}\r\n\r\n`;
}

/** Asks, and reads nothing until it is told to. */
function openStalled(text: string): Socket {
  const { hostname, port } = new URL(server.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.write(text);
  readers.push(socket);
  return socket;
}

/** How many have been answered, as far as can be told without reading. */
function countAnswered(sockets: readonly Socket[]): number {
  return sockets.filter((socket) => socket.readableLength > 0).length;
}

/** Reads one answer to its end; its status. */
function readOut(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let head = "";
    let left = Number.POSITIVE_INFINITY;
    socket.on("data", (chunk: Buffer) => {
      if (left === Number.POSITIVE_INFINITY) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        left = Number(/content-length: (\d+)/i.exec(head)?.[1]) - (head.length - end - 4);
      } else left -= chunk.length;
      if (left === 0) resolve(head.slice(9, 12));
    });
    socket.once("close", () => reject(new Error("closed before the answer was whole")));
  });
}

describe("readers of a large list that do not read", { timeout: 30_000 }, () => {
  it("hold two places, hold up no other organization, and are all answered once they read", async () => {
    const stalled = Array.from({ length: 12 }, () => openStalled(request("/players")));
    await expect.poll(() => countAnswered(stalled), WITHIN).toBe(2);
    const other = await call(server, "GET", "/players", { key: otherKey });
    expect([other.status, other.body.meta.count]).toEqual([200, PLAYERS]);
    expect((await call(server, "GET", "/players?limit=20", { key })).status).toBe(200);
    expect(countAnswered(stalled)).toBe(2);
    const statuses = await Promise.all(stalled.map(readOut));
    expect(statuses).toEqual(stalled.map(() => "200"));
  });

  it.each([
    ["in an order of their choice", "/players?sort=-ign"],
    ["in large pages", "/players?limit=500"],
  ])("hold two places %s too", async (_, path) => {
    const stalled = Array.from({ length: 5 }, () => openStalled(request(path)));
    await expect.poll(() => countAnswered(stalled), WITHIN).toBe(2);
    expect(await Promise.all(stalled.map(readOut))).toEqual(stalled.map(() => "200"));
  });

  it("give their places back when they go, those that wait for one too", async () => {
    const stalled = Array.from({ length: 6 }, () => openStalled(request("/players")));
    await expect.poll(() => countAnswered(stalled), WITHIN).toBe(2);
    for (const socket of stalled) socket.destroy();
    expect((await call(server, "GET", "/players", { key })).status).toBe(200);
  });

  it("give back the places of all they asked over one connection", async () => {
    for (let round = 0; round < 2; round++) {
      const pipelined = openStalled(request("/players").repeat(4));
      await expect.poll(() => countAnswered([pipelined]), WITHIN).toBe(1);
      const next = call(server, "GET", "/players", { key });
      pipelined.destroy();
      expect((await next).status).toBe(200);
    }
  });

  it("are served at once with a list that is kept, and hold up only what would be made anew", async () => {
    const whole = await call(server, "GET", "/players", { key: keptKey });
    const stalled = Array.from({ length: 4 }, () => openStalled(request("/players", keptKey)));
    await expect.poll(() => countAnswered(stalled), WITHIN).toBe(4);
    const anew = openStalled(request("/players?status=active", keptKey));
    const again = await call(server, "GET", "/players", { key: keptKey });
    expect(again.body.data).toEqual(whole.body.data);
    expect(countAnswered([anew])).toBe(0);
    for (const socket of stalled) socket.destroy();
    expect(await readOut(anew)).toBe("200");
  });
});

describe("a large list", { timeout: 30_000 }, () => {
  it("gives its place back when only its head is asked for", async () => {
    for (let round = 0; round < 4; round++) {
      const reply = await call(server, "HEAD", "/players", { key, headers: { "accept-encoding": "identity" } });
      expect([reply.status, reply.text]).toEqual([200, ""]);
      expect(Number(reply.headers.get("content-length"))).toBeGreaterThan(PLAYERS * 20_000);
    }
  });

  it("gives its place back when it goes compressed, or only its tag does", async () => {
    for (let round = 0; round < 4; round++) {
      const reply = await call(server, "GET", "/players", { key, headers: { "accept-encoding": "gzip" } });
      expect(reply.headers.get("content-encoding")).toBe("gzip");
      expect(reply.body.meta.count).toBe(PLAYERS);
      const tag = reply.headers.get("etag") ?? "";
      expect((await call(server, "GET", "/players", { key, headers: { "if-none-match": tag } })).status).toBe(304);
    }
  });

  it("gives its place back when it cannot be read", async () => {
    const reader = { store: server.store, orgId, connection: new PassThrough() };
    const failing = () =>
      readWholeList(reader, false, async (_org, { after }) => {
        if (after !== undefined) throw new Error("the disk is gone");
        return { items: [], next: { value: null, id: "" } };
      });
    for (let round = 0; round < 4; round++) await expect(failing()).rejects.toThrow("the disk is gone");
    expect((await call(server, "GET", "/players", { key })).status).toBe(200);
  });
});
