/** Asking only for what has changed. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { RECORD_LISTS } from "./endpoint-requests.ts";

let server: TestServer;
let key: string;

beforeAll(async () => {
  server = await startTestServer();
  key = (await makeKey(server, await makeOrg(server))).key;
});

afterAll(() => server.stop());

const read = (path: string, tag?: string) =>
  call(server, "GET", path, { key, headers: tag === undefined ? {} : { "if-none-match": tag } });

async function createPlayer(ign: string): Promise<string> {
  return (await call(server, "POST", "/players", { key, body: { ign, role: "Player" } })).body.data.id;
}

describe("an answer that the client has kept", () => {
  test.each(RECORD_LISTS.map(({ path }) => path))("is not sent again while GET %s would be the same", async (path) => {
    const first = await read(path);
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await read(path, tag);
    expect(again.status).toBe(304);
    expect(again.text).toBe("");
    expect(again.headers.get("etag")).toBe(tag);
    expect(again.headers.get("content-type")).toBeNull();
    expect(again.headers.get("x-request-id")).toMatch(/^req_/);
    const left = Number(again.headers.get("x-ratelimit-remaining"));
    expect(left).toBe(Number(first.headers.get("x-ratelimit-remaining")) - 1);
  });

  test("is told of with all that was said of it: where the next page is, and by what it may differ", async () => {
    for (let index = 0; index < 30; index++) await createPlayer(`Many ${index}`);
    for (const path of ["/players?limit=2", "/players", "/players?limit=20"]) {
      const first = await read(path);
      const again = await read(path, first.headers.get("etag") ?? "");
      expect(again.status).toBe(304);
      for (const name of ["link", "vary", "cache-control"])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect((await read("/players")).headers.get("vary")).toBe("Accept-Encoding");
    expect((await read("/players?limit=2")).headers.get("link")).toContain('rel="next"');
  });

  test("is sent anew from the next read after a write on, and its old tag is of use again if the data is", async () => {
    const id = await createPlayer("Kept");
    const first = await read(`/players/${id}`);
    const tag = first.headers.get("etag") ?? "";
    expect((await read(`/players/${id}`, tag)).status).toBe(304);
    await call(server, "PATCH", `/players/${id}`, { key, body: { realName: "Somebody" } });
    const changed = await read(`/players/${id}`, tag);
    expect(changed.status).toBe(200);
    expect(changed.body.data.realName).toBe("Somebody");
    expect(changed.headers.get("etag")).not.toBe(tag);
    await createPlayer("Somebody else");
    expect((await read(`/players/${id}`, changed.headers.get("etag") ?? "")).status).toBe(304);
  });

  test("is found among several tags, in either strength, or by a star", async () => {
    const tag = (await read("/teams")).headers.get("etag") ?? "";
    const strong = tag.replace("W/", "");
    for (const asked of [`"other", ${tag}`, `W/"other",${strong}`, strong, "*"]) {
      expect((await read("/teams", asked)).status, asked).toBe(304);
    }
    for (const asked of ['"other"', tag.slice(0, -2), "", "W/"]) {
      expect((await read("/teams", asked)).status, asked).toBe(200);
    }
  });

  test("a last page is told of a page that has come after it", async () => {
    const fresh = (await makeKey(server, await makeOrg(server))).key;
    const ask = (headers: Record<string, string> = {}) =>
      call(server, "GET", "/players?limit=1", { key: fresh, headers });
    await call(server, "POST", "/players", { key: fresh, body: { ign: "One", role: "Player" } });
    const last = await ask();
    expect(last.body.meta.nextCursor).toBeNull();
    await call(server, "POST", "/players", { key: fresh, body: { ign: "Two", role: "Player" } });
    const more = await ask({ "if-none-match": last.headers.get("etag") ?? "" });
    expect(more.status).toBe(200);
    expect(more.body.meta.nextCursor).toEqual(expect.any(String));
  });

  test("HEAD tells the tag and takes it", async () => {
    const head = await call(server, "HEAD", "/teams", { key });
    const tag = head.headers.get("etag") ?? "";
    expect(tag).toBe((await read("/teams")).headers.get("etag"));
    expect((await call(server, "HEAD", "/teams", { key, headers: { "if-none-match": tag } })).status).toBe(304);
  });

  test("does not stand between a request and its refusal", async () => {
    const asked = { headers: { "if-none-match": "*" } };
    expect((await call(server, "GET", "/teams", asked)).status).toBe(401);
    expect((await call(server, "GET", "/teams?limit=0", { key, ...asked })).status).toBe(400);
    expect((await call(server, "GET", "/players/player_01jb8v6k3ze5xr9m4q7w2t5n8d", { key, ...asked })).status).toBe(
      404,
    );
    const made = await call(server, "POST", "/players", { key, body: { ign: "New", role: "Player" }, ...asked });
    expect(made.status).toBe(201);
    expect(made.body.data.ign).toBe("New");
    expect((await call(server, "GET", "/me", { key, ...asked })).status).toBe(200);
  });
});
