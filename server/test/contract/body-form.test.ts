/** The form of a body, for every endpoint that takes one: what is not JSON of the right kind is refused before all else. */
import { ENDPOINTS } from "@lineup/api/endpoints";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey, type Reply } from "../test-server.ts";
import { checkedCall, expectError, type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { ownPath } from "./endpoint-requests.ts";

let stage: Stage;
let key: string;
beforeAll(async () => {
  stage = await openStage();
  key = (await makeKey(stage.server, stage.seed.orgId)).key;
});
afterAll(() => stage.stop());

const WRITES = ENDPOINTS.filter((endpoint) => "body" in endpoint);

const nested = (depth: number) => `{"ign":"x","stats":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

const BROKEN: readonly (readonly [string, string | Uint8Array])[] = [
  ["nothing", ""],
  ["blanks", " \n "],
  ["half an object", '{"ign":"x"'],
  ["two objects", '{"ign":"x"}{"ign":"x"}'],
  ["a trailing comma", '{"ign":"x",}'],
  ["single quotes", "{'ign':'x'}"],
  ["a comment", '{"ign":"x"} // x'],
  ["NaN", '{"ign":NaN}'],
  ["an array", '[{"ign":"x"}]'],
  ["a string", '"ign"'],
  ["a number", "1"],
  ["null", "null"],
  ["true", "true"],
  ["a name twice", '{"ign":"x","ign":"y"}'],
  ["a name twice in disguise", '{"ign":"x","\\u0069gn":"y"}'],
  ["a name twice further in", '{"ign":"x","externalIds":{"a":"1","a":"2"}}'],
  ["a byte order mark", '\ufeff{"ign":"x"}'],
  ["bytes that are not UTF-8", new Uint8Array([...Buffer.from('{"ign":"'), 0xff, ...Buffer.from('"}')])],
  ["half a character at its end", new Uint8Array([...Buffer.from('{"ign":"'), 0xc3])],
  ["a surrogate in UTF-8", new Uint8Array([...Buffer.from('{"ign":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])],
  ["nesting over 32 deep", nested(33)],
  ["nesting without end", `${"[".repeat(100_000)}`],
  ["nesting without end that is well-formed", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["more than 256 KiB", `{"ign":"x"${" ".repeat(256 * 1024)}}`],
];

const CONTENT_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "application/problem+json",
  "text/json",
  "application/json; charset=iso-8859-1",
  "application/json, application/json",
  "json",
];

for (const endpoint of WRITES) {
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    checkedCall(stage.server, endpoint.method, ownPath(endpoint, stage.seed), { key, body, headers });

  describe(`the body of ${endpoint.method} ${endpoint.path}`, () => {
    it.each(BROKEN)("is refused when it is %s", async (_what, body) => {
      const reply = await send(body);
      expectError(reply, "VALIDATION_ERROR");
      expect(reply.body.error.message).toMatch(/body|JSON|nested/);
    });

    it.each(CONTENT_TYPES)("is refused as %s", async (type) => {
      expectError(await send(endpoint.body.example, { "content-type": type }), "VALIDATION_ERROR");
    });

    it("is refused without a Content-Type", async () => {
      const bytes = new TextEncoder().encode(JSON.stringify(endpoint.body.example));
      const url = stage.server.baseUrl + ownPath(endpoint, stage.seed);
      // A Blob without a type is sent without the header.
      const reply = await fetch(url, {
        method: endpoint.method,
        headers: { authorization: `Bearer ${key}` },
        body: new Blob([bytes]),
      });
      expect(reply.status).toBe(400);
      expect((await reply.json()) as LooseItem).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
    });

    it.each([
      "application/json",
      "Application/JSON",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
    ])("is taken as %s", async (type) =>
      expect((await send(endpoint.body.example, { "content-type": type })).status).toBeLessThan(300),
    );

    it("names every unknown and every read-only field at once, with the nearest known one", async () => {
      const known = Object.keys(endpoint.body.fields.shape);
      const readOnly = Object.fromEntries(endpoint.body.readOnly.map((name) => [name, "x"]));
      const unknown = { real_name: 1, IGN: 1, zzzzzzzz: 1, __proto__x: 1, constructor: 1 };
      const reply = await send({ ...readOnly, ...unknown });
      expectError(reply, "VALIDATION_ERROR");
      const details = new Map<string, string>(
        reply.body.error.details.map(({ field, message }: LooseItem) => [field, message]),
      );
      for (const name of [...Object.keys(readOnly), ...Object.keys(unknown)])
        expect([...details.keys()]).toContain(name);
      expect(details.get("real_name")).toContain("realName");
      expect(details.get("IGN")).toContain("ign");
      for (const name of known) expect(details.get("zzzzzzzz")).not.toContain(`mean ${name}?`);
      for (const name of endpoint.body.required) expect(details.get(name)).toBe("is required");
    });

    it("does not take __proto__ for anything but an unknown name", async () => {
      const reply = await send('{"ign":"x","role":"Player","__proto__":{"status":"inactive"}}');
      expectError(reply, "VALIDATION_ERROR");
      expect(reply.body.error.details.map(({ field }: LooseItem) => field)).toContain("__proto__");
    });

    it("is refused when it is an empty object", async () => {
      const reply = await send({});
      expectError(reply, "VALIDATION_ERROR");
      expect(reply.body.error.details.length).toBeGreaterThan(0);
    });

    it("may be as large as 256 KiB and as deep as 32", async () => {
      const padding = " ".repeat(256 * 1024 - JSON.stringify(endpoint.body.example).length);
      expect((await send(JSON.stringify(endpoint.body.example) + padding)).status).toBeLessThan(300);
      const reply = await send(nested(32));
      expectError(reply, "VALIDATION_ERROR");
      expect(reply.body.error.message).not.toContain("nested");
    });
  });
}

describe("a body that a GET brings along", () => {
  it("is of no interest", async () => {
    const { status } = await checkedCall(stage.server, "DELETE", "/players", { key, body: "{" });
    expect(status).toBe(404);
  });
});
