/** An update of what the client has seen, and of nothing else. */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { makeKey, type Reply } from "../test-server.ts";
import { checkedCall, expectError, openStage, type Stage } from "./checked-call.ts";
import { exampleBody, ownPath, unknownPath } from "./endpoint-requests.ts";

let stage: Stage;
let key: string;

beforeAll(async () => {
  stage = await openStage();
  key = (await makeKey(stage.server, stage.seed.orgId)).key;
});
afterAll(() => stage.stop());
beforeEach(() => stage.clock.advance(60_000));

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  checkedCall(stage.server, method, path, { key, body, headers });

const read = (path: string) => send("GET", path);
const tagOf = ({ headers }: Reply) => headers.get("etag") ?? "none";

function expectRefused(reply: Reply): void {
  expectError(reply, "VALIDATION_ERROR");
  expect(reply.body.error.details).toMatchObject([{ field: "If-Match" }]);
  expect(reply.body.error.message).toContain("If-Match");
}

async function countEntries(): Promise<number> {
  return (await stage.server.store.org(stage.seed.orgId).readAuditEnd()).count;
}

describe.each(ENDPOINTS.filter((one) => one.method === "PATCH"))("PATCH $path", (endpoint) => {
  const path = () => ownPath(endpoint, stage.seed);
  const update = (ifMatch: string, body: unknown = { ign: "Changed" }, at = path()) =>
    send("PATCH", at, body, { "if-match": ifMatch });

  it("is made where the tag is that of the record, weak or strong, or one of several", async () => {
    const strong = (tag: string) => tag.replace("W/", "");
    const forms = [
      (tag: string) => tag,
      strong,
      (tag: string) => `"other", ${tag}`,
      (tag: string) => `${strong(tag)}\t ,W/"a,b"`,
      () => "*",
    ];
    for (const [index, form] of forms.entries()) {
      const reply = await update(form(tagOf(await read(path()))), { ign: `Changed ${index}` });
      expect([reply.status, reply.body.data?.ign]).toEqual([200, `Changed ${index}`]);
    }
  });

  it("writes nothing where the record has changed since, and says to read it again", async () => {
    const tag = tagOf(await read(path()));
    await send("PATCH", path(), { ign: "By somebody else" });
    const [current, entries] = [await read(path()), await countEntries()];
    for (const old of [tag, tag.replace("W/", ""), `"other", ${tag}`, '"*"', '""']) {
      const refused = await update(old);
      expectRefused(refused);
      expect(refused.body.error.message).toContain("read the record again");
    }
    expect((await read(path())).body.data).toEqual(current.body.data);
    expect(await countEntries()).toBe(entries);
    expect((await update(tagOf(current))).status).toBe(200);
  });

  it("goes by the content: a tag is of use again when the record is as it was", async () => {
    const before = await read(path());
    expect((await update(tagOf(before), { ign: before.body.data.ign })).status).toBe(200);
    expect((await update(tagOf(before), { ign: "Else" })).status).toBe(200);
    expectRefused(await update(tagOf(before), { ign: "Again" }));
  });

  it("does not know an id that nobody has, whatever it is to match", async () => {
    for (const any of ["*", '"x"'])
      expectError(await update(any, exampleBody(endpoint), unknownPath(endpoint)), "NOT_FOUND");
  });

  it.each(["", "x", "W/", 'w/"x"', '"x', 'x"', '"a" "b"', '"a",', ',"a"', "*, *", '*, "a"', '"a b"', "W/*"])(
    "refuses %j, before it is looked whether there is such a record",
    async (ifMatch) => expectRefused(await update(ifMatch, { ign: "Changed" }, unknownPath(endpoint))),
  );

  it("is asked before the rules that need stored data, and after the form of the body", async () => {
    expectRefused(await update('"old"', { externalIds: { import: stage.seed.players[1]?.id } }));
    const both = await update("x", { ign: "" });
    expectError(both, "VALIDATION_ERROR");
    expect(both.body.error.details.map(({ field }: { field: string }) => field)).toEqual(["If-Match", "ign"]);
    const form = await update('"old"', { ign: "" });
    expect(form.body.error.details.map(({ field }: { field: string }) => field)).toEqual(["ign"]);
  });

  it("is answered again under its Idempotency-Key, though its tag is old by then", async () => {
    const headers = { "if-match": tagOf(await read(path())), "idempotency-key": makeId("req") };
    const first = await send("PATCH", path(), { ign: "Once" }, headers);
    expect(first.status).toBe(200);
    const again = await send("PATCH", path(), { ign: "Once" }, headers);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.body.data).toEqual(first.body.data);
    expectRefused(await send("PATCH", path(), { ign: "Once" }, { "if-match": headers["if-match"] }));
  });

  it("keeps nothing under the Idempotency-Key where the record has changed", async () => {
    const idempotencyKey = makeId("req");
    const headers = { "if-match": '"old"', "idempotency-key": idempotencyKey };
    expectRefused(await send("PATCH", path(), { ign: "Later" }, headers));
    const retried = { "if-match": tagOf(await read(path())), "idempotency-key": idempotencyKey };
    const made = await send("PATCH", path(), { ign: "Later" }, retried);
    expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([200, null]);
  });
});

it("what is created or read takes no heed of it", async () => {
  const headers = { "if-match": "x" };
  expect((await send("POST", "/players", { ign: "Vex", role: "Player" }, headers)).status).toBe(201);
  expect((await send("GET", "/players", undefined, headers)).status).toBe(200);
});

describe("the answer to a write has the tag of a read that follows it", () => {
  const long = "é".repeat(3_000);
  const ids = { "10": "b", z: "a", "2": "c", a: "z" };
  const BODIES: readonly (readonly [path: string, body: object, patches: object[]])[] = [
    [
      "/players",
      { ign: "Vex", role: "Player", stats: { z: 1, "3": "x", a: 0.1 + 0.2, "1": 1e21, m: -0 }, externalIds: ids },
      [
        { externalIds: { z: null, b: "new" } },
        { externalIds: { z: "back" }, stats: { b: 2, a: 1 } },
        { realName: "Élodie \u{1f3ae} \u2028", joinDate: 1 },
        { ign: "Vex" },
      ],
    ],
    [
      "/prospects",
      { ign: "Nyx", rating: 7.3, tags: ["b", "a"], notes: long, externalIds: ids },
      [
        { rating: 0, notes: `${long}\n"\\`, stage: "trial" },
        { externalIds: { a: null }, contractEndDate: 0 },
      ],
    ],
  ];

  it.each(BODIES)("%s", async (path, body, patches) => {
    const made = await send("POST", path, body);
    const record = `${path}/${made.body.data?.id}`;
    expect(tagOf(await read(record))).toBe(tagOf(made));
    let tag = tagOf(made);
    for (const patch of patches) {
      const reply = await send("PATCH", record, patch, { "if-match": tag });
      expect(reply.status).toBe(200);
      tag = tagOf(reply);
      expect(tagOf(await read(record))).toBe(tag);
    }
  });
});
