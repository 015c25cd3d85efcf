/**
 * Cursors of somebody's own making that a list takes for its own: the check that ties them to it is no secret. Whatever they say
 * that the list is sorted by, and wherever it is stored, it is gone on from or refused.
 */
import { hash } from "node:crypto";
import { cursorParameter, type SortParameter } from "@lineup/api/parameters";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { call } from "../test-server.ts";
import { expectError, freshKeyCaller, type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { RECORD_LISTS } from "./endpoint-requests.ts";

let stage: Stage;
let ask: Stage["api"];
beforeAll(async () => {
  stage = await openStage();
  ask = freshKeyCaller(stage.server, stage.seed.orgId, call);
});
afterAll(() => stage.stop());

/** Texts, as JSON has them: some values have no other way of getting there. */
const VALUES = [
  '""',
  '"x"',
  '"5"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"é𝄞\\n"',
  "0",
  "1",
  "-1",
  "1.5",
  "2.5e-7",
  "9007199254740993",
  "9223372036854775808",
  "-1e30",
  "1e300",
  "1e999",
  "null",
];

function forge(name: string, sort: string | undefined, value: string, id: string): string {
  const filters = sort === undefined ? [] : [["sort", sort]];
  const parsed = JSON.parse(value);
  const text = JSON.stringify([name, stage.seed.orgId, filters, 5, parsed, id]);
  const check = hash("sha256", text, "base64url").slice(0, 12);
  const parts = `[${JSON.stringify(check)},${JSON.stringify(filters)},5,${value},${JSON.stringify(id)}]`;
  return Buffer.from(parts).toString("base64url");
}

describe.each(RECORD_LISTS.map((endpoint) => [endpoint.path, endpoint] as const))("GET %s", (path, endpoint) => {
  const { schema } = endpoint.query.sort as SortParameter;
  const fields = (schema.enum as string[]).filter((text) => !text.startsWith("-"));

  it("goes on from a value of the field's own kind, and refuses any other, whatever it is sorted by", async () => {
    const outcomes = new Set<string>();
    for (const sort of [undefined, ...fields]) {
      for (const value of VALUES) {
        const reply = await ask("GET", `${path}?cursor=${forge(endpoint.name, sort, value, makeId("player"))}`);
        outcomes.add(reply.body.error?.code ?? "taken");
        if (reply.status !== 200) expectError(reply, "INVALID_PARAMETER");
        if (value === "null") expect(reply.status).toBe(200);
      }
    }
    expect([...outcomes].sort()).toEqual(["INVALID_PARAMETER", "taken"]);
  });

  it.each(["", "x", "player_\0", `player_${"z".repeat(26)}`, "\ud800", "' or 1=1 --"])(
    "refuses a position behind %j, which is no id",
    async (id) => {
      expectError(
        await ask("GET", `${path}?cursor=${forge(endpoint.name, undefined, "null", id)}`),
        "INVALID_PARAMETER",
      );
    },
  );
});

it("goes on from where the cursor says, like from one that was given out", async () => {
  const { nextCursor } = (await ask("GET", "/players?sort=ign&limit=2")).body.meta;
  const [, , , value, id] = JSON.parse(Buffer.from(nextCursor, "base64url").toString());
  const forged = forge("listPlayers", "ign", JSON.stringify(value), id);
  const idsAfter = async (cursor: string) =>
    (await ask("GET", `/players?limit=2&cursor=${cursor}`)).body.data.map((item: LooseItem) => item.id);
  expect(await idsAfter(forged)).toEqual(await idsAfter(nextCursor));
});

it("is read up to the length that the reference allows, with everything that clients send beside it", async () => {
  const cursor = "x".repeat(Number(cursorParameter.schema.maxLength));
  const reply = await ask("GET", `/players?cursor=${cursor}`);
  expectError(reply, "INVALID_PARAMETER");
  expect(reply.body.error.message).toContain("is not a cursor that was given out");
});
