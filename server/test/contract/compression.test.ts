/** Large answers, for those who take them compressed. */
import { get, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";

let server: TestServer;
let key: string;
let playerId: string;

beforeAll(async () => {
  server = await startTestServer();
  key = (await makeKey(server, await makeOrg(server))).key;
  for (let number = 0; number < 30; number++) {
    const { body } = await call(server, "POST", "/players", { key, body: { ign: `Pläyer ${number}`, role: "Player" } });
    playerId = body.data.id;
  }
});

afterAll(() => server.stop());

/** As it comes over the wire, which fetch does not show. */
function ask(path: string, coding?: string, more: Record<string, string> = {}) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...more,
    ...(coding === undefined ? {} : { "accept-encoding": coding }),
  };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    get(server.baseUrl + path, { headers }, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }),
        reject,
      );
    }).on("error", reject);
  });
}

describe("a large answer", () => {
  test.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("goes in %s to those who take it, each with an envelope of its own", async (coding, decode) => {
    const plain = await ask("/players");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers.vary).toBe("Accept-Encoding");
    const ids = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const { headers, bytes } = await ask("/players", coding);
      expect(headers["content-encoding"]).toBe(coding);
      expect(headers.etag).toBe(plain.headers.etag);
      expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
      const body = JSON.parse(decode(bytes).toString());
      expect(body.data).toEqual(JSON.parse(plain.bytes.toString()).data);
      expect(body.meta).toMatchObject({ count: 30, requestId: headers["x-request-id"] });
      ids.add(body.meta.requestId);
    }
    expect(ids.size).toBe(3);
  });

  test("shows a write from the very next read on", async () => {
    await ask("/players", "br");
    await call(server, "PATCH", `/players/${playerId}`, { key, body: { realName: "Renamed" } });
    const { bytes } = await ask("/players", "br");
    expect(brotliDecompressSync(bytes).toString()).toContain("Renamed");
  });

  test("a page of it keeps its cursor, and a 304 has no coding", async () => {
    const { headers, bytes } = await ask("/players?limit=20", "gzip");
    const body = JSON.parse(gunzipSync(bytes).toString());
    expect(headers.link).toContain(body.meta.nextCursor);
    const again = await ask("/players?limit=20", "gzip", { "if-none-match": String(headers.etag) });
    expect(again.status).toBe(304);
    expect(again.headers["content-encoding"]).toBeUndefined();
  });

  test("a small one, and a refusal, come as they are", async () => {
    for (const path of [`/players/${playerId}`, "/players?limit=0", "/me"]) {
      const { headers } = await ask(path, "br, gzip");
      expect(headers["content-encoding"], path).toBeUndefined();
    }
  });

  test("HEAD tells what GET would send", async () => {
    const head = await call(server, "HEAD", "/players", { key, headers: { "accept-encoding": "gzip" } });
    expect(head.headers.get("content-encoding")).toBe("gzip");
    const { headers } = await ask("/players");
    const plain = await call(server, "HEAD", "/players", { key, headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-length")).toBe(headers["content-length"]);
  });
});
