/** Clients that ask for large lists and do not read them: what they hold is bounded, and nobody else waits for them. */
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ListOf, streamList } from "../../src/http/list-answer.ts";
import { selectPlayers } from "../../src/resources/players/player-store.ts";
import { makeId } from "../../src/store/ids.ts";
import { searchTextOf } from "../../src/store/record-rows.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { HOST, PREFIX } from "./hostile-case.ts";

const PLAYERS = 1_200;
/** A page of these is more than the system keeps for a connection that nobody reads, and than the server keeps for the next. */
const LARGE_STATS = JSON.stringify({ note: "n".repeat(20_000) });
/** A list of these is small enough to be kept, and large all the same. */
const KEPT_STATS = JSON.stringify({ note: "n".repeat(4_000) });

/** All of them find everybody, and each is a list of its own. */
const SEARCHES = ["V", "Ve", "Vex", "v", "ve", "vex", "e", "ex", "x", "VE", "VEX", "EX"];

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

/** Behind an answer that was sent while it was read, and nothing else: no list has a line break. */
const LAST_CHUNK = "\r\n0\r\n\r\n";

/** Reads one answer to its end; its status. */
function readOut(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let [head, end] = ["", ""];
    let left: number | undefined;
    socket.on("data", (chunk: Buffer) => {
      end = (end + chunk.toString("latin1")).slice(-LAST_CHUNK.length);
      if (left !== undefined) left -= chunk.length;
      else {
        head += chunk.toString("latin1");
        const headEnd = head.indexOf("\r\n\r\n");
        if (headEnd < 0) return;
        const length = /content-length: (\d+)/i.exec(head)?.[1] ?? Number.POSITIVE_INFINITY;
        left = Number(length) - (head.length - headEnd - 4);
      }
      if (left === 0 || (left === Number.POSITIVE_INFINITY && end === LAST_CHUNK)) resolve(head.slice(9, 12));
    });
    socket.once("close", () => reject(new Error("closed before the answer was whole")));
  });
}

describe("readers of a large list that do not read", () => {
  it("hold two places, hold up no other organization, and are all answered once they read", async () => {
    const stalled = SEARCHES.map((text) => openStalled(request(`/players?search=${text}`)));
    await expect.poll(() => countAnswered(stalled)).toBe(2);
    const other = await call(server, "GET", "/players", { key: otherKey });
    expect([other.status, other.body.meta.count]).toEqual([200, PLAYERS]);
    expect((await call(server, "GET", "/players?limit=20", { key })).status).toBe(200);
    expect(countAnswered(stalled)).toBe(2);
    const statuses = await Promise.all(stalled.map(readOut));
    expect(statuses).toEqual(stalled.map(() => "200"));
  });

  it.each([
    ["in an order of their choice", "sort=-ign"],
    ["in large pages", "limit=500"],
  ])("hold two places %s too", async (_, query) => {
    const stalled = SEARCHES.slice(0, 5).map((text) => openStalled(request(`/players?${query}&search=${text}`)));
    await expect.poll(() => countAnswered(stalled)).toBe(2);
    expect(await Promise.all(stalled.map(readOut))).toEqual(stalled.map(() => "200"));
  });

  it("give their places back when they go, those that wait for one too", async () => {
    const stalled = SEARCHES.slice(0, 6).map((text) => openStalled(request(`/players?search=${text}`)));
    await expect.poll(() => countAnswered(stalled)).toBe(2);
    for (const socket of stalled) socket.destroy();
    expect((await call(server, "GET", "/players", { key })).status).toBe(200);
  });

  it("give back the places of all they asked over one connection", async () => {
    for (let round = 0; round < 2; round++) {
      const pipelined = openStalled(request("/players").repeat(4));
      await expect.poll(() => countAnswered([pipelined])).toBe(1);
      const next = call(server, "GET", "/players", { key });
      pipelined.destroy();
      expect((await next).status).toBe(200);
    }
  });

  it("are served at once with a list that is kept, and hold up only what would be made anew", async () => {
    const whole = await call(server, "GET", "/players", { key: keptKey });
    const stalled = Array.from({ length: 4 }, () => openStalled(request("/players", keptKey)));
    await expect.poll(() => countAnswered(stalled)).toBe(4);
    const anew = openStalled(request("/players?status=active", keptKey));
    const again = await call(server, "GET", "/players", { key: keptKey });
    expect(again.body.data).toEqual(whole.body.data);
    expect(countAnswered([anew])).toBe(0);
    for (const socket of stalled) socket.destroy();
    expect(await readOut(anew)).toBe("200");
  });
});

describe("a large list", () => {
  it("gives its place back when only its head is asked for", async () => {
    for (let round = 0; round < 4; round++) {
      const reply = await call(server, "HEAD", "/players", { key, headers: { "accept-encoding": "identity" } });
      expect([reply.status, reply.text]).toEqual([200, ""]);
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
    const listOf: ListOf = (org) => ({
      ...selectPlayers(org, {}),
      // biome-ignore lint/correctness/useYield: it fails before it has anything to give.
      async *readSlices() {
        throw new Error("the disk is gone");
      },
    });
    const failing = () => streamList(reader, listOf, undefined, () => undefined);
    for (let round = 0; round < 4; round++) await expect(failing()).rejects.toThrow("the disk is gone");
    expect((await call(server, "GET", "/players", { key })).status).toBe(200);
  });
});
