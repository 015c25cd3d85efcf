import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { expectAnswer, expectHeaders } from "./answer-rules.ts";
import { HOST, JSON_TYPE, NO_KEY, NOT_FOUND, OK, PREFIX, REFUSED } from "./hostile-case.ts";
import { openRaw, type RawConnection } from "./raw-connection.ts";

let server: TestServer;
let authorization: string;
let key: string;
let connection: RawConnection;
const clock = new ManualClock(Date.now());

beforeAll(async () => {
  server = await startTestServer({ clock });
  key = (await makeKey(server, await makeOrg(server))).key;
  authorization = `Authorization: Bearer ${key}\r\n`;
});

afterAll(() => server.stop());

beforeEach(async () => {
  clock.advance(60_000);
  connection = await openRaw(server.origin);
  return () => connection.close();
});

function head(method: string, path: string, headerLines = ""): string {
  return `${method} ${PREFIX}${path} HTTP/1.1\r\n${HOST}${authorization}${headerLines}\r\n`;
}

function post(headerLines: string, body: string): string {
  return head("POST", "/players", JSON_TYPE + headerLines) + body;
}

describe("a connection", () => {
  it("that is reset right after a good request never counts as one without a key", async () => {
    for (let round = 0; round < 40; round++) {
      const hasty = await openRaw(server.origin);
      hasty.send(head("GET", "/me"));
      hasty.socket.resetAndDestroy();
    }
    // Answered after all of them have been looked at, for it came last.
    connection.send(head("GET", "/me"));
    expect((await connection.readAnswer()).status).toBe(200);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).not.toMatch(/lineup_requests_total\{route="GET \/me",status="401"/);
  });

  it("gets the answers to pipelined requests in their order, slow ones and quick ones", async () => {
    const good = '{"ign":"Pipe","role":"Player"}';
    connection.send(
      [
        post(`Content-Length: ${good.length}\r\n`, good),
        head("GET", "/players/unknown"),
        head("GET", "/nope"),
        post("Content-Length: 2\r\n", "{}"),
        head("GET", "/players?limit=0"),
        head("GET", "/me"),
      ].join(""),
    );
    const statuses = [];
    for (let at = 0; at < 6; at++) statuses.push((await connection.readAnswer()).status);
    expect(statuses).toEqual([201, 404, 404, 400, 400, 200]);
  });

  it("gets the answers to good requests before the refusal of the broken one behind them", async () => {
    connection.send(`${head("GET", "/me")}${head("GET", "/players")}garbage\r\n\r\n${head("GET", "/me")}`);
    expectAnswer(await connection.readAnswer(), OK);
    expectAnswer(await connection.readAnswer(), OK);
    const refusal = await connection.readAnswer();
    expectAnswer(refusal, REFUSED);
    expect(refusal.headers.get("connection")).toBe("close");
    expect(await connection.readToEnd()).toBe("");
  });

  it("gets the refusal of a broken body in its place among pipelined requests", async () => {
    connection.send(`${head("GET", "/me")}${post("Transfer-Encoding: chunked\r\n", "zz\r\n")}`);
    expectAnswer(await connection.readAnswer(), OK);
    expectAnswer(await connection.readAnswer(), REFUSED);
    expect(await connection.readToEnd()).toBe("");
  });

  it("gets one refusal, however much it goes on to send", async () => {
    connection.send("garbage\r\n\r\n");
    expectAnswer(await connection.readAnswer(), REFUSED);
    for (let at = 0; at < 20; at++) connection.send("more garbage\r\n\r\n");
    expect(await connection.readToEnd()).toBe("");
  });

  it("gets no second answer when the body of a request that was refused turns out broken", async () => {
    connection.send(`POST ${PREFIX}/players HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    expectAnswer(await connection.readAnswer(), NO_KEY);
    connection.send("zz\r\n");
    expect(await connection.readToEnd()).toBe("");
  });

  it("goes on to work after a refusal that came before the body, once the body has come", async () => {
    const body = " ".repeat(300_000);
    const withoutKey = `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n`;
    connection.send(withoutKey);
    expectAnswer(await connection.readAnswer(), NO_KEY);
    connection.send(body + head("GET", "/me"));
    expectAnswer(await connection.readAnswer(), OK);
    connection.send(post(`Content-Length: ${body.length}\r\n`, ""));
    expectAnswer(await connection.readAnswer(), REFUSED);
    connection.send(body + head("GET", "/players/x"));
    expectAnswer(await connection.readAnswer(), NOT_FOUND);
  });

  it("is never taken for a new request inside the body of a refused one", async () => {
    const hidden = head("GET", "/me");
    connection.send(`POST ${PREFIX}/nope HTTP/1.1\r\n${HOST}Content-Length: ${hidden.length}\r\n\r\n`);
    expectAnswer(await connection.readAnswer(), NO_KEY);
    connection.send(hidden + head("GET", "/players/x"));
    expectAnswer(await connection.readAnswer(), NOT_FOUND);
    expect(connection.unread).toBe("");
  });

  it("gets its answers though it has closed its own side, slow ones too", async () => {
    connection.send(head("GET", "/me") + head("GET", "/players"));
    connection.socket.end(`GET /docs HTTP/1.1\r\n${HOST}\r\n`);
    expectAnswer(await connection.readAnswer(), OK);
    expectAnswer(await connection.readAnswer(), OK);
    expect((await connection.readAnswer()).status).toBe(200);
    expect(await connection.readToEnd()).toBe("");
  });

  it("is let go when it closes its own side between two requests", async () => {
    connection.send(head("GET", "/me"));
    expectAnswer(await connection.readAnswer(), OK);
    connection.socket.end();
    expect(await connection.readToEnd()).toBe("");
  });

  it.each([
    ["head", `GET ${PREFIX}/players HTTP/1.1\r\nHost: li`],
    ["body of declared length", `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\n{`],
    ["chunked body", `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\n{`],
  ])("is refused when it ends in the middle of a %s", async (_, bytes) => {
    connection.send(bytes.replace(HOST, HOST + authorization + JSON_TYPE));
    connection.socket.end();
    expectAnswer(await connection.readAnswer(), REFUSED);
    expect(await connection.readToEnd()).toBe("");
  });

  it("may be reset in the middle of a body; nothing of it is kept and others are served", async () => {
    const before = (await call(server, "GET", "/players", { key })).body.meta.count;
    connection.send(post("Content-Length: 100\r\n", '{"ign":"Gone","role":"Player"}'));
    await call(server, "GET", "/me", { key });
    connection.socket.resetAndDestroy();
    expect((await call(server, "GET", "/players", { key })).body.meta.count).toBe(before);
  });

  it("may vanish before its answer", async () => {
    for (let at = 0; at < 50; at++) {
      const shy = await openRaw(server.origin);
      shy.send(head("GET", "/players"));
      shy.socket.resetAndDestroy();
    }
    expect((await call(server, "GET", "/me", { key })).status).toBe(200);
  });

  it("gets 100 Continue, then the answer to the body it was waiting to send", async () => {
    const good = '{"ign":"Polite","role":"Player"}';
    connection.send(post(`Expect: 100-continue\r\nContent-Length: ${good.length}\r\n`, ""));
    connection.send(good);
    const answer = await connection.readAnswer();
    expect(answer.interim).toEqual([100]);
    expectAnswer(answer, { status: 201 });
  });
});

describe("HEAD", () => {
  it.each([
    ["/me", 200],
    ["/players", 200],
    ["/players/x", 404],
    ["/nope", 404],
    ["/players?limit=0", 400],
  ])("on %s has the headers and length of GET, and no body", async (path, status) => {
    connection.send(head("GET", path));
    const get = await connection.readAnswer();
    connection.send(head("HEAD", path));
    const answer = await connection.readAnswer({ toHead: true });
    expectHeaders(answer);
    expect([answer.status, get.status]).toEqual([status, status]);
    expect([...answer.headers.keys()]).toEqual([...get.headers.keys()]);
    expect(answer.headers.get("content-length")).toBe(get.headers.get("content-length"));
    connection.send(head("GET", "/me"));
    expectAnswer(await connection.readAnswer(), OK);
  });

  it("without a key, or without a Host, has no body either", async () => {
    connection.send(`HEAD ${PREFIX}/players HTTP/1.1\r\n${HOST}\r\n`);
    expect((await connection.readAnswer({ toHead: true })).status).toBe(401);
    connection.send(`HEAD ${PREFIX}/players HTTP/1.1\r\n\r\n`);
    const answer = await connection.readAnswer({ toHead: true });
    expectHeaders(answer);
    expect(answer.status).toBe(400);
    expect(await connection.readToEnd()).toBe("");
  });
});

describe("names that objects have of their own", () => {
  it("are kept like any other, and change nothing else", async () => {
    const body = '{"ign":"Proto","role":"Player","stats":{"__proto__":1,"constructor":"a","toString":2}}';
    const made = await call(server, "POST", "/players", { key, body });
    expect(made.text).toContain('"stats":{"__proto__":1,"constructor":"a","toString":2}');
    const read = await call(server, "GET", `/players/${made.body.data.id}`, { key });
    expect(read.text).toContain('"stats":{"__proto__":1,"constructor":"a","toString":2}');
    expect(read.body.data.status).toBe("active");
  });
});
