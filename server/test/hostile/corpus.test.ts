import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { expectAnswer, expectNoCors } from "./answer-rules.ts";
import { BODIES } from "./corpus-bodies.ts";
import { FRAMING } from "./corpus-framing.ts";
import { HEADS } from "./corpus-heads.ts";
import { OUTSIDE_TARGETS, TARGETS } from "./corpus-targets.ts";
import { HOST, type HostileCase, OK, PLAIN_GET } from "./hostile-case.ts";
import { openRaw } from "./raw-connection.ts";

let server: TestServer;
let key: string;
// Time stands still but for this: no case may run into the limits of another.
const clock = new ManualClock(Date.now());

beforeAll(async () => {
  server = await startTestServer({ clock });
  key = (await makeKey(server, await makeOrg(server))).key;
});

afterAll(() => server.stop());

function fillIn(bytes: string | Buffer): Buffer {
  const text = typeof bytes === "string" ? bytes : bytes.toString("latin1");
  return Buffer.from(text.replaceAll("{KEY}", key), "latin1");
}

async function judge(hostile: HostileCase): Promise<void> {
  clock.advance(60_000);
  const connection = await openRaw(server.origin);
  try {
    connection.send(fillIn(hostile.bytes));
    const answer = await connection.readAnswer();
    expectAnswer(answer, hostile.expected);
    expect(answer.headers.get("connection")).toBe(hostile.closes === true ? "close" : "keep-alive");
    if (hostile.closes === true) {
      expect(await connection.readToEnd()).toBe("");
      return;
    }
    connection.send(fillIn(PLAIN_GET));
    expectAnswer(await connection.readAnswer(), OK);
    expect(connection.unread).toBe("");
  } finally {
    connection.close();
  }
}

describe.each([
  { corpus: "heads", cases: HEADS },
  { corpus: "framing", cases: FRAMING },
  { corpus: "targets", cases: TARGETS },
  { corpus: "bodies", cases: BODIES },
])("answers hostile $corpus rightly, and the connection goes on or is closed", ({ cases }) => {
  it.each(cases)("$name", judge);
});

describe("does not take for the API what is not under its prefix", () => {
  it.each(OUTSIDE_TARGETS)("%s", async (target) => {
    const connection = await openRaw(server.origin);
    connection.send(`GET ${target} HTTP/1.1\r\n${HOST}\r\n`);
    const answer = await connection.readAnswer();
    connection.close();
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("/docs") },
    });
    expectNoCors(answer.headers);
  });
});

describe("after all of it", () => {
  it("a plain request is answered rightly", async () => {
    clock.advance(60_000);
    const connection = await openRaw(server.origin);
    connection.send(fillIn(PLAIN_GET));
    expectAnswer(await connection.readAnswer(), OK);
    connection.close();
  });

  it("nothing was logged as a fault of the server", () => {
    const lines = server.logged().trim().split("\n");
    const faults = lines.map((line) => JSON.parse(line)).filter((line) => line.level >= 40 || line.status >= 500);
    expect(faults).toEqual([]);
    expect(lines.length).toBeGreaterThan(FRAMING.length + HEADS.length + TARGETS.length + BODIES.length);
  });
});
