import { createServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { BASE_PATH } from "@lineup/api/endpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeKey } from "../../access/key-format.ts";
import { readPlainRequest } from "./plain-request.ts";

const SOCKET = {} as Socket;
const KEY = makeKey();
const PLAYER = "/players/player_01jcqabcdefghjkmnpqrstvwxyz";

function head(lines: readonly string[], target = `${BASE_PATH}${PLAYER}`): Buffer {
  return Buffer.from([`GET ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n"), "latin1");
}

const MORE = ["Accept-Encoding: gzip", "Connection: keep-alive", "Cache-Control: no-cache", "Via: 1.1 p"];
const USUAL = ["Host: api.example:8080", "User-Agent: scout/1.0", "Accept: */*", `Authorization: Bearer ${KEY}`];

interface ReadByNode {
  readonly request: IncomingMessage;
  /** As far as it came. */
  readonly body: Buffer[];
}

/** What Node's own parser makes of the bytes: the requests in them, or undefined where it finds a fault. */
async function readByNode(bytes: Buffer): Promise<ReadByNode[] | undefined> {
  const requests: ReadByNode[] = [];
  let isFaulty = false;
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false }, (request) => {
    const body: Buffer[] = [];
    request.on("data", (chunk) => body.push(chunk));
    requests.push({ request, body });
  });
  server.on("clientError", () => {
    isFaulty = true;
  });
  server.on("connect", () => {
    isFaulty = true;
  });
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  server.emit("connection", connection);
  connection.push(bytes);
  await new Promise((resolve) => setImmediate(resolve));
  connection.destroy();
  server.close();
  return isFaulty ? undefined : requests;
}

describe("a plain request", () => {
  it("is read with the headers that anything depends on", () => {
    const lines = [...USUAL, 'If-None-Match: W/"x"', "accept-encoding: br", "X-FORWARDED-FOR: 192.0.2.7"];
    const found = readPlainRequest(head(lines), SOCKET);
    expect(found?.target).toMatchObject({ endpoint: { name: "getPlayer" }, id: "player_01jcqabcdefghjkmnpqrstvwxyz" });
    expect(found?.request).toMatchObject({ method: "GET", url: `${BASE_PATH}${PLAYER}` });
    expect(found?.request.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "if-none-match": 'W/"x"',
      "accept-encoding": "br",
      "x-forwarded-for": "192.0.2.7",
      "user-agent": "scout/1.0",
    });
  });

  it("is read behind the proxies that add their headers", () => {
    const added = [
      ...[
        "X-Forwarded-For: 192.0.2.7",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: api.example",
        "x-forwarded-prefix: /v1",
      ],
      ...["X-Real-IP: 192.0.2.7", "Via: 1.1 proxy", "traceparent: 00-1-2-01", "tracestate: a=b", "baggage: a=b"],
      ...[
        "sentry-trace: 1-2-1",
        "X-Amzn-Trace-Id: Root=1",
        "X-Cloud-Trace-Context: 1/2;o=1",
        "CF-Ray: 1",
        "cf-ipcountry: SE",
      ],
      ...[
        "X-Envoy-Expected-Rq-Timeout-Ms: 100",
        "x-envoy-external-address: 192.0.2.7",
        "Sec-Fetch-Mode: cors",
        "Sec-CH-UA: x",
      ],
    ];
    const found = readPlainRequest(head([...USUAL, ...MORE, ...added]), SOCKET);
    expect(found?.request.headers).toMatchObject({ "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https" });
  });

  it("has texts of its own: none keeps the head alive, and the key with it", () => {
    const bytes = head(USUAL);
    const found = readPlainRequest(bytes, SOCKET);
    bytes.fill("x");
    expect(found?.request).toMatchObject({ url: `${BASE_PATH}${PLAYER}`, headers: { "user-agent": "scout/1.0" } });
  });
});

const BODY = '{"ign":"Vex","role":"Player"}';
const WRITE = [...USUAL, "Content-Type: application/json", `Content-Length: ${BODY.length}`];

function write(lines: readonly string[], body = BODY, target = `${BASE_PATH}/players`, method = "POST"): Buffer {
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, "", body].join("\r\n"), "latin1");
}

describe("a plain write", () => {
  it.each([
    ["POST", `${BASE_PATH}/players`, "createPlayer"],
    ["PATCH", `${BASE_PATH}${PLAYER}`, "updatePlayer"],
  ])("is read with its body: %s", (method, target, name) => {
    const found = readPlainRequest(write(WRITE, BODY, target, method), SOCKET);
    expect(found?.target.endpoint?.name).toBe(name);
    expect([found?.request.method, found?.request.url, found?.body?.toString()]).toEqual([method, target, BODY]);
    expect(found?.request.headers["content-type"]).toBe("application/json");
  });

  const cases: Record<string, Buffer> = {
    "its body is not whole": write(WRITE).subarray(0, -1),
    "more follows": Buffer.concat([write(WRITE), Buffer.from("x")]),
    "its length is not told": write(WRITE.slice(0, -1)),
    "its length is told twice": write([...WRITE, `Content-Length: ${BODY.length}`]),
    "its length has a sign": write(WRITE.with(-1, `Content-Length: +${BODY.length}`)),
    "its length begins with nought": write(WRITE.with(-1, `Content-Length: 0${BODY.length}`)),
    "its length is a list": write(WRITE.with(-1, `Content-Length: ${BODY.length}, ${BODY.length}`)),
    "it comes in chunks as well": write([...WRITE, "Transfer-Encoding: chunked"]),
    "it is compressed": write([...WRITE, "Content-Encoding: gzip"]),
    "it waits for a word": write([...WRITE, "Expect: 100-continue"]),
    "it has no body": write(WRITE.with(-1, "Content-Length: 0"), ""),
    "its path takes no such method": write(WRITE, BODY, `${BASE_PATH}/me`),
    "its method is another": write(WRITE, BODY, `${BASE_PATH}/players`, "PUT"),
    "its method is written small": write(WRITE, BODY, `${BASE_PATH}/players`, "POst"),
    "it is large": write(WRITE.with(-1, "Content-Length: 30000"), "x".repeat(30_000)),
  };
  it.each(Object.entries(cases))("is left to Node's own parser where %s", (_, bytes) => {
    expect(readPlainRequest(bytes, SOCKET)).toBeUndefined();
  });
});

describe("is left to Node's own parser where", () => {
  const cases: Record<string, Buffer> = {
    "it is not whole": head(USUAL).subarray(0, -1),
    "there is more than one": Buffer.concat([head(USUAL), head(USUAL)]),
    "a body follows": Buffer.concat([head(USUAL), Buffer.from("{}")]),
    "it announces a body": head([...USUAL, "Content-Length: 2"]),
    "its body comes in chunks": head([...USUAL, "Transfer-Encoding: chunked"]),
    "it wants another protocol": head([...USUAL, "Connection: Upgrade", "Upgrade: websocket"]),
    "the connection is to be closed": head([...USUAL, "Connection: close"]),
    "it waits for a word": head([...USUAL, "Expect: 100-continue"]),
    "it has no host": head(USUAL.slice(1)),
    "it has two hosts": head([...USUAL, "Host: other.example"]),
    "its host is none": head(USUAL.with(0, "Host: a b")),
    "it has two keys": head([...USUAL, `authorization: Bearer ${KEY}`]),
    "a header goes on in the next line": head([...USUAL, "Accept-Language: en,", " de"]),
    "a header has no name": head([...USUAL, ": x"]),
    "a space stands before the colon": head([...USUAL, "Accept-Language : en"]),
    "a value ends in a space": head([...USUAL, "Accept-Language: en "]),
    "a value is empty": head([...USUAL, "Accept-Language: "]),
    "a header is not known": head([...USUAL, "X-Anything: y"]),
    "a byte is no plain letter": head(USUAL.with(1, "User-Agent: caf\u00e9")),
    "a zero byte hides in it": head(USUAL.with(1, "User-Agent: a\0b")),
    "a line ends in a line feed alone": Buffer.from(head(USUAL).toString("latin1").replace("\r\nAccept", "\nAccept")),
    "a line ends in a carriage return alone": Buffer.from(
      head(USUAL).toString("latin1").replace("\r\nAccept", "\rAccept"),
    ),
    "its path is another": head(USUAL, "/healthz"),
    "its path is encoded": head(USUAL, `${BASE_PATH}/players/%70`),
    "its target is a whole URL": head(USUAL, `http://api.example${BASE_PATH}${PLAYER}`),
    "its target has a fragment": head(USUAL, `${BASE_PATH}/players#x`),
    "it is HTTP/1.0": Buffer.from(head(USUAL).toString("latin1").replace("HTTP/1.1", "HTTP/1.0")),
    "its method is another": Buffer.from(head(USUAL).toString("latin1").replace("GET", "HEAD")),
    "it begins with an empty line": Buffer.concat([Buffer.from("\r\n"), head(USUAL)]),
    "its head is long": head([...USUAL, `Cookie: ${"x".repeat(9_000)}`]),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    it(name, () => {
      expect(readPlainRequest(bytes, SOCKET)).toBeUndefined();
    });
  }
});

/** Up to three things done to a plain request that may or may not matter. */
const changes = fc.array(
  fc.record({
    at: fc.nat(400),
    cut: fc.nat(2),
    put: fc.oneof(
      fc.constantFrom("", " ", "\t", "\r", "\n", "\r\n", ":", ": ", "\0", "\x7f", "\u00ff", "#", "%", "?", "\r\n\r\n"),
      fc.constantFrom("Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n", "\r\nHost: y", "Connection: x\r\n"),
      fc.string({ maxLength: 2 }),
    ),
  }),
  { maxLength: 3 },
);
const reads = fc
  .tuple(
    fc.subarray([...USUAL, ...MORE], { minLength: 1 }),
    fc.constantFrom(PLAYER, "/players", "/players?limit=3", "/schedule", "/me", "/players?sort=-ign&limit=5"),
  )
  .map(([lines, target]) => head(lines, `${BASE_PATH}${target}`));
const writes = fc
  .tuple(
    fc.subarray(MORE),
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.integer({ min: -1, max: 1 }),
    fc.constantFrom<[string, string]>(["POST", "/players"], ["PATCH", PLAYER], ["POST", "/prospects"]),
  )
  .map(([lines, body, off, [method, target]]) => {
    const length = Buffer.byteLength(body, "latin1") + (off === -1 ? -1 : 0);
    return write([...USUAL, ...lines, `Content-Length: ${length}`], body, BASE_PATH + target, method);
  });

function mutate(bytes: Buffer, done: readonly { at: number; cut: number; put: string }[]): Buffer {
  let text = bytes.toString("latin1");
  for (const { at, cut, put } of done) {
    const place = at % (text.length + 1);
    text = text.slice(0, place) + put + text.slice(place + cut);
  }
  return Buffer.from(text, "latin1");
}

it.each([
  ["reads", reads],
  ["writes", writes],
])(
  "finds in no bytes what Node's parser does not find in them, alone and with the same headers and body: %s",
  async (_, plainOnes) => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(plainOnes, changes, async (plainBytes, done) => {
        const bytes = mutate(plainBytes, done);
        const plain = readPlainRequest(bytes, SOCKET);
        if (plain !== undefined) {
          found++;
          const byNode = await readByNode(bytes);
          expect(byNode?.length).toBe(1);
          const { request, body } = byNode?.[0] ?? {};
          const { method, url, headers } = plain.request;
          expect([request?.method, request?.url, request?.httpVersion]).toEqual([method, url, "1.1"]);
          for (const [name, value] of Object.entries(headers)) expect(request?.headers[name]).toBe(value);
          expect(request?.headers).not.toHaveProperty("transfer-encoding");
          expect(Buffer.concat(body ?? [])).toEqual(plain.body ?? Buffer.alloc(0));
          expect(request?.complete).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(found).toBeGreaterThan(300);
  },
);
