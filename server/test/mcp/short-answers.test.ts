/** No answer has more than 10,000 tokens, whatever the records hold, and between two pages nothing is lost. */
import type { Prospect } from "@lineup/api/prospects";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RESULT_MAX_BYTES } from "../../src/mcp/short-answer.ts";
import { insertPlayers, insertProspects, makePlayer, makeProspect } from "../contract/seed-records.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, type LooseBody, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { BEFORE, CURRENT, connect, send, told, toolCall } from "./assistant.ts";

/** What costs most: characters that a tokenizer takes byte by byte, and those that are escaped, twice. */
const TEXTS: Readonly<Record<string, string>> = {
  Latin: "The scrim went well, and Vex called the objectives. ",
  CJK: "選手の契約は来月まで有効です。",
  rare: "\u{20000}\u{2a6d6}\u{1f9d1}\u200d\u{1f680}\u0301",
  quotes: '"\\"\\\\""',
  lines: "a\nb\r\n",
};

let server: TestServer;
let key: string;
const ids: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const orgId = await makeOrg(server);
  ({ key } = await makeKey(server, orgId));
  const prospects = Object.values(TEXTS).flatMap((text) => [
    makeFull(text, 10_000),
    ...Array.from({ length: 12 }, (_, index) => makeFull(text, index * 40)),
  ]);
  ids.push(...prospects.map(({ id }) => id));
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await insertProspects(org, prospects);
    await insertPlayers(
      org,
      Array.from({ length: 5 }, () => makePlayer({ ign: fill(TEXTS.rare ?? "", 64) })),
    );
  });
});
afterAll(() => server.stop());

/** So many characters, as the API counts them. */
function fill(text: string, count: number): string {
  return [...text.repeat(count)].slice(0, count).join("");
}

/** Every text as long as it may be, and the notes as long as asked. */
function makeFull(text: string, notes: number): Prospect {
  const short = fill(text.replaceAll(/[\r\n]/g, " "), 200);
  const system = (index: number) => `${index}`.padStart(64, "s");
  return makeProspect({
    ign: fill(short, 64),
    realName: short,
    currentTeam: short,
    nationality: short,
    region: short,
    source: short,
    assignedTo: short,
    notes: fill(text, notes),
    ...(notes === 10_000 && {
      tags: Array.from({ length: 20 }, () => short),
      externalIds: Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [system(index), short.slice(0, 190) + index]),
      ),
    }),
  });
}

/** The result as it came, and what it tells. */
async function use(name: string, args: object): Promise<{ readonly bytes: number; readonly answered: LooseBody }> {
  const { body } = await send(server, key, toolCall(name, args));
  return { bytes: Buffer.byteLength(JSON.stringify(body.result)), answered: told(body.result) };
}

it.each(["id", "-notes", "realName"])("a walk by %s shows each record once, and no page is too long", async (sort) => {
  const seen: LooseBody[] = [];
  let cursor: string | undefined;
  let longest = 0;
  do {
    const { bytes, answered } = await use("listProspects", cursor === undefined ? { sort } : { cursor });
    expect(answered.error).toBeUndefined();
    expect(bytes).toBeLessThanOrEqual(RESULT_MAX_BYTES);
    longest = Math.max(longest, bytes);
    seen.push(...answered.data);
    cursor = answered.nextCursor;
  } while (cursor !== undefined);
  expect(seen.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  const { body } = await call(server, "GET", `/prospects?sort=${sort}`, { key });
  expect(seen.map(({ id }) => id)).toEqual(body.data.map(({ id }: { id: string }) => id));
  // Pages are filled, and what is short enough is shown whole.
  expect(longest).toBeGreaterThan(0.9 * RESULT_MAX_BYTES);
  const whole = new Map(body.data.map((one: LooseBody) => [one.id, one.notes]));
  const shown = seen.filter(({ id, notes }) => whole.get(id) === notes);
  expect(shown.length).toBeGreaterThanOrEqual(12 * Object.keys(TEXTS).length);
});

describe.each(Object.keys(TEXTS))("a prospect full of %s", (kind) => {
  it("is shortened, says so, and keeps what is short", async () => {
    const id = ids[Object.keys(TEXTS).indexOf(kind) * 13];
    const { body } = await call(server, "GET", `/prospects/${id}`, { key });
    const { bytes, answered } = await use("getProspect", { id });
    expect(bytes).toBeLessThanOrEqual(RESULT_MAX_BYTES);
    const { data } = answered;
    expect(Object.keys(data)).toEqual(Object.keys(body.data).filter((name) => body.data[name] !== null));
    expect(data).toMatchObject({ id, ign: body.data.ign, stage: body.data.stage, createdAt: body.data.createdAt });
    const [, start = "", shown] = /^(.*)… \[(\d+) of 10000 characters are shown\]$/su.exec(data.notes) ?? [];
    expect(body.data.notes.startsWith(start)).toBe(true);
    expect([...start]).toHaveLength(Number(shown));
    expect(data.notes.isWellFormed()).toBe(true);
    expect(answered.etag).toMatch(/^W\//);
  });

  it("can be written, and what is answered is short too", async () => {
    const id = ids[Object.keys(TEXTS).indexOf(kind) * 13];
    const { bytes, answered } = await use("updateProspect", { id, priority: "high" });
    expect(bytes).toBeLessThanOrEqual(RESULT_MAX_BYTES);
    expect(answered.data.priority).toBe("high");
  });
});

it("plain notes of a few thousand characters are whole", async () => {
  const notes = fill(TEXTS.Latin ?? "", 8_000);
  const { answered } = await use("createProspect", { ign: "Long", notes });
  expect(answered.data.notes).toBe(notes.trim());
  await use("updateProspect", { id: answered.data.id, notes: null });
  ids.push(answered.data.id);
});

it("a page has no more than 50, and fewer where they are asked for", async () => {
  expect((await use("listPlayers", { limit: 3 })).answered.data).toHaveLength(3);
  const { answered } = await use("listChanges", { since: Date.now() - 60_000, limit: 500 });
  expect(answered.data.length).toBeLessThanOrEqual(50);
});

it("many faults at once are told as far as there is room, and so is a cursor that is too long", async () => {
  const nonsense = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`選手${"の".repeat(60)}${index}`, 1]));
  const { bytes, answered } = await use("createProspect", nonsense);
  expect(bytes).toBeLessThanOrEqual(RESULT_MAX_BYTES);
  expect(answered.error.details.at(-1)).toMatch(/^\[\d+ of 100 are shown\]$/);
  const nobody = Array.from({ length: 30 }, (_, index) => `${"n".repeat(190)}${index}`);
  const assignedTo = [fill(TEXTS.rare ?? "", 200), ...nobody];
  const filtered = await use("listProspects", { assignedTo: assignedTo.join(","), limit: 1 });
  expect(filtered.bytes).toBeLessThanOrEqual(RESULT_MAX_BYTES);
  expect(filtered.answered).toMatchObject({ error: { code: "INVALID_PARAMETER", details: [{ field: "cursor" }] } });
});

/** In words and JSON a token is three bytes or more: four, as measured. */
it.each([CURRENT, BEFORE])(
  "the list of all tools has fewer than 10,000 tokens, and the official client of %s takes every answer",
  async (revision) => {
    const client = await connect(server, key, revision);
    const tools = await client.listTools();
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(3 * 9_500);
    for (const id of ids.slice(0, 14)) {
      const result = await client.callTool({ name: "getProspect", arguments: { id } });
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(RESULT_MAX_BYTES);
      expect(told(result).data.id).toBe(id);
    }
    await client.close();
  },
);
