/** Large lists, which are sent while they are read: whole, of one moment, tagged, and never well ended where they are not whole. */
import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ListOf, streamList } from "../../src/http/list-answer.ts";
import { selectPlayers } from "../../src/resources/players/player-store.ts";
import { makeId } from "../../src/store/ids.ts";
import { searchTextOf } from "../../src/store/record-rows.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";

const PLAYERS = 2_500;

let server: TestServer;
let orgId: string;
let key: string;
let first: string;
let last: string;

beforeAll(async () => {
  server = await startTestServer();
  orgId = await makeOrg(server);
  key = (await makeKey(server, orgId)).key;
  const rows = Array.from({ length: PLAYERS }, (_, index) => playerRow(`Plåyer ${index}`));
  [first, last] = [rows[0]?.id ?? "", rows.at(-1)?.id ?? ""];
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (let start = 0; start < PLAYERS; start += 500) {
      await org.insertInto("players", rows.slice(start, start + 500)).execute();
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
    // Small enough to be kept in all, and large enough to be much more than one slice.
    stats: JSON.stringify({ note: "n".repeat(2_500) }),
    external_ids: "{}",
    search_text: searchTextOf(ign, ""),
    created_at: 1,
    updated_at: 1,
  };
}

/** As it comes over the wire, which fetch does not show. */
async function open(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const asked: ClientRequest = get(server.baseUrl + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

async function read(path: string, headers?: Record<string, string>) {
  const response = await open(path, headers);
  return { response, headers: response.headers, bytes: await buffer(response) };
}

async function rename(name: string): Promise<void> {
  // Both ends of the list change together, or not at all.
  await server.store.writeOrg(orgId, TEST_ORIGIN, (org) =>
    org.updateTable("players").set({ real_name: name }).where("id", "in", [first, last]).execute(),
  );
}

describe("a large list", () => {
  it.each(["/players", "/players?sort=-ign"])("comes whole and counted, without a length: %s", async (path) => {
    await rename(`before ${path}`);
    const { headers, bytes } = await read(path);
    expect(headers["transfer-encoding"]).toBe("chunked");
    expect(headers["content-length"]).toBeUndefined();
    const body = JSON.parse(bytes.toString());
    expect(body.meta).toEqual({
      count: PLAYERS,
      requestId: headers["x-request-id"],
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(PLAYERS);
    expect(Object.keys(body)).toEqual(["success", "data", "meta"]);
    const again = await read(path);
    // Once it is kept, its length is known.
    expect(again.headers["content-length"]).toBe(String(again.bytes.length));
    expect(JSON.parse(again.bytes.toString()).data).toEqual(body.data);
  });

  it("shows the moment at which it began, whatever is written while it is sent", async () => {
    await rename("earlier");
    const response = await open("/players");
    await rename("later");
    const { data } = JSON.parse((await buffer(response)).toString());
    expect([data[0].realName, data.at(-1).realName]).toEqual(["earlier", "earlier"]);
    const next = JSON.parse((await read("/players")).bytes.toString());
    expect([next.data[0].realName, next.data.at(-1).realName]).toEqual(["later", "later"]);
  });

  it("is not sent again to a client that has the tag it came with, until it changes", async () => {
    await rename("tagged");
    const { headers } = await read("/players");
    const tag = String(headers.etag);
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const unchanged = await open("/players", { "if-none-match": tag });
    expect(unchanged.statusCode).toBe(304);
    const kept = await read("/players");
    expect((await open("/players", { "if-none-match": String(kept.headers.etag) })).statusCode).toBe(304);
    await rename("tagged anew");
    const changed = await read("/players", { "if-none-match": tag });
    expect(changed.response.statusCode).toBe(200);
    expect(JSON.parse(changed.bytes.toString()).data[0].realName).toBe("tagged anew");
    expect(changed.headers.etag).not.toBe(tag);
  });

  it("comes compressed to those who take it, while it is read and when it is kept", async () => {
    await rename("compressed");
    for (let round = 0; round < 2; round++) {
      const { headers, bytes } = await read("/players", { "accept-encoding": "gzip" });
      expect([headers["content-encoding"], headers["transfer-encoding"]]).toEqual(["gzip", "chunked"]);
      const body = JSON.parse(gunzipSync(bytes).toString());
      expect([body.data.length, body.meta.count]).toEqual([PLAYERS, PLAYERS]);
      expect(bytes.length).toBeLessThan(PLAYERS * 200);
    }
  });

  it("comes compressed to many at once, to each with its own end", async () => {
    await rename("compressed for many");
    const answers = await Promise.all(Array.from({ length: 5 }, () => read("/players", { "accept-encoding": "gzip" })));
    for (const { headers, bytes } of answers) {
      const { data, meta } = JSON.parse(gunzipSync(bytes).toString());
      expect([data.length, meta.count, meta.requestId]).toEqual([PLAYERS, PLAYERS, headers["x-request-id"]]);
    }
  });

  it("comes whole to a client of HTTP/1.0, and ends its connection", async () => {
    await rename("asked by an older client");
    const { hostname, port } = new URL(server.origin);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /api/public/v1/players HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const text = (await buffer(socket)).toString();
    const [top = "", body = ""] = text.split("\r\n\r\n");
    expect(top).toMatch(/^HTTP\/1\.1 200 /);
    expect(top).not.toMatch(/transfer-encoding|content-length/i);
    expect(JSON.parse(body).meta.count).toBe(PLAYERS);
  });

  it("leaves its connection to the next request", async () => {
    await rename("on one connection");
    const { hostname, port } = new URL(server.origin);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const ask = (path: string) =>
      socket.write(`GET /api/public/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text = (text + chunk.toString("latin1")).slice(-2_000);
    });
    ask("/players");
    await expect.poll(() => text.endsWith("\r\n0\r\n\r\n")).toBe(true);
    ask("/me");
    await expect.poll(() => text.includes("HTTP/1.1 200 OK") && text.endsWith("}}")).toBe(true);
  });

  it("ends the connection of a client that has closed its own side meanwhile", async () => {
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const { pathname } = new URL(`${server.baseUrl}/players`);
    await rename("half closed");
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await once(socket, "readable");
    socket.end();
    const text = (await buffer(socket)).toString();
    expect(text.endsWith("0\r\n\r\n")).toBe(true);
  });
});

describe("a large list that is not taken", () => {
  it("lets go of its place and its state of the store when its client goes", async () => {
    for (let round = 0; round < 6; round++) {
      await rename(`gone ${round}`);
      const response = await open("/players");
      response.destroy();
    }
    await rename("still there");
    expect((await call(server, "GET", "/players", { key })).body.meta.count).toBe(PLAYERS);
  });

  it("waits for a client that is slow, and keeps nobody from writing", async () => {
    await rename("slow");
    const response = await open("/players");
    response.pause();
    for (let round = 0; round < 5; round++) await rename(`meanwhile ${round}`);
    const { data } = JSON.parse((await buffer(response)).toString());
    expect([data.length, data.at(-1).realName]).toEqual([PLAYERS, "slow"]);
  });

  it("stops being read when nobody waits for it any more", async () => {
    const connection = new PassThrough();
    let [slices, isOver] = [0, false];
    const reader = { store: server.store, orgId, connection };
    const listOf: ListOf = (org) => ({
      ...selectPlayers(org, {}),
      async *readSlices() {
        try {
          for (; slices < 10_000; slices++) yield { bytes: Buffer.from(",{}"), count: 1 };
        } finally {
          isOver = true;
        }
      },
    });
    await streamList(reader, listOf, undefined, () => undefined);
    connection.destroy();
    await expect.poll(() => isOver).toBe(true);
    expect(slices).toBeLessThan(9_000);
  });
});

it("a list that breaks off while it is read ends its connection, and not as a whole one does; the log says why", async () => {
  const broken = await startTestServer();
  onTestFinished(() => broken.stop());
  const org = await makeOrg(broken);
  const own = (await makeKey(broken, org)).key;
  const rows = Array.from({ length: 1_500 }, (_, index) => playerRow(`Player ${index}`));
  await broken.store.writeOrg(org, TEST_ORIGIN, async (write) => {
    for (let start = 0; start < rows.length; start += 500) {
      await write.insertInto("players", rows.slice(start, start + 500)).execute();
    }
  });
  const { readOrgAtOnce } = broken.store;
  // The store itself fails, once the first slices have left.
  broken.store.readOrgAtOnce = (id, work) =>
    readOrgAtOnce.call(broken.store, id, async (handle) => {
      const result = await work(handle);
      throw Object.assign(new Error("the disk is gone"), { result });
    }) as never;
  for (const more of [{}, { "x-not-plain": "1" }]) {
    const asked = get(`${broken.baseUrl}/players`, { headers: { authorization: `Bearer ${own}`, ...more } });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    await expect(buffer(response)).rejects.toThrow("aborted");
  }
  expect(broken.logged()).toContain("an answer broke off while it was sent");
  expect(broken.logged()).toContain("the disk is gone");
});
