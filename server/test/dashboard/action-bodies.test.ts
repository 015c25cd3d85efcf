import { PERMISSIONS } from "@lineup/api/permissions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "./dashboard-world.ts";
import type { Visitor } from "./visitor.ts";

let world: World;
let owner: Visitor;

beforeAll(async () => {
  world = await makeWorld();
  owner = world.visitors.owner;
});
afterAll(() => world?.stop());

const create = (body: unknown, headers: Record<string, string> = {}) =>
  owner.try("createKey", { path: { orgId: world.first }, body }, { headers });

async function expectRefused(body: unknown, message: RegExp, headers: Record<string, string> = {}): Promise<void> {
  const reply = await create(body, headers);
  expect([reply.status, reply.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(reply.body.error.message).toMatch(message);
}

describe("the body of an action", () => {
  it("is one JSON object, no name twice, not too deep and not too large", async () => {
    await expectRefused("{", /not valid JSON/);
    await expectRefused("", /empty/);
    await expectRefused("[]", /JSON object/);
    await expectRefused("null", /JSON object/);
    await expectRefused('{"name":"a","name":"b"}', /twice/);
    await expectRefused(`{"name":${"[".repeat(40)}${"]".repeat(40)}}`, /nested/);
    await expectRefused(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/);
    await expectRefused(`\ufeff{}`, /byte order mark/);
    await expectRefused({ name: "a".repeat(65_536) }, /64 KiB/);
    await expectRefused("{}", /Compressed/, { "content-encoding": "gzip" });
    await expectRefused("{}", /UTF-8/, { "content-type": "application/json; charset=utf-16" });
  });

  it("that is sent in pieces without end is cut off at the same size", async () => {
    const endless = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(" ".repeat(16_384)));
      },
    });
    const response = await fetch(`${world.server.origin}/internal/session`, {
      method: "POST",
      headers: { origin: world.server.origin, "content-type": "application/json" },
      body: endless,
      duplex: "half",
    } as RequestInit).catch(() => undefined);
    // Who goes on sending may be cut off before it reads the answer.
    if (response !== undefined) expect(response.status).toBe(400);
    expect((await owner.try("getSession")).status).toBe(200);
  });

  it("is judged whole: every fault is named at once, by its field and in plain words", async () => {
    const reply = await owner.try("createKey", {
      path: { orgId: world.first },
      query: { more: "1" },
      body: { name: " ", permissions: ["players:reed"], expiresAt: "soon", expiresAtt: 3 },
    });
    const faults = new Map(
      reply.body.error.details.map(({ field, message }: Record<string, string>) => [field, message]),
    );
    expect(faults).toEqual(
      new Map([
        ["more", "is not known here; leave it out"],
        ["name", "must be given"],
        ["permissions.0", `must be one of ${PERMISSIONS.join(", ")}`],
        ["expiresAt", "must be a number"],
        ["expiresAtt", "is not known here; did you mean expiresAt?"],
      ]),
    );
  });

  it("says of what is missing that it must be given", async () => {
    const { body } = await create({});
    expect(body.error.details.map(({ field, message }: Record<string, string>) => `${field} ${message}`)).toEqual([
      "name must be given",
      "permissions must be given",
      "expiresAt must be given",
    ]);
  });

  it.each(["a\u0000b", "a\nb", "\ud800", "\u0085"])("holds no text that cannot be kept or seen: %j", async (name) => {
    const body = JSON.stringify({ name, permissions: ["players:read"], expiresAt: null });
    await expectRefused(body, /name (must not hold control characters|holds half of a surrogate pair)/);
    const query = await owner.try("listRequests", {
      path: { orgId: world.first },
      query: { path: name.toWellFormed() },
    });
    expect(query.status).toBe(name === "\ud800" ? 200 : 400);
  });

  it("says once what is wrong with a text, though two look for it", async () => {
    const body = { ign: "a\nb", role: "Player" };
    const reply = await owner.try("createPlayer", { path: { orgId: world.first }, body });
    expect(reply.body.error).toMatchObject({
      message: "ign must not hold control characters.",
      details: [{ field: "ign", message: "must not hold control characters" }],
    });
  });

  it("may be left out, or be an empty object, where an action takes none", async () => {
    for (const body of [undefined, {}]) {
      const reply = await world.visitors.nobody.try("signOut", { body });
      expect([reply.status, reply.body]).toEqual([200, {}]);
    }
    const reply = await world.visitors.nobody.try("signOut", { body: { everywhere: true } });
    expect(reply.code).toBe("VALIDATION_ERROR");
  });
});

describe("the query of an action", () => {
  it("says each thing once, in words that are known", async () => {
    const path = { orgId: world.first };
    const twice = await owner.send("GET", `/internal/orgs/${world.first}/requests?limit=1&limit=2`);
    expect(twice.body.error.details).toEqual([{ field: "limit", message: "is there more than once; send it once" }]);
    const broken = await owner.send("GET", `/internal/orgs/${world.first}/requests?path=%ff`);
    expect(broken.code).toBe("VALIDATION_ERROR");
    const reply = await owner.try("listRequests", { path, query: { limit: "0", status: "9xx", form: "1" } });
    expect(reply.body.error.details.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      "form",
      "limit",
      "status",
    ]);
  });
});

describe("what goes wrong inside", () => {
  it("is told to the log under the request id, and to nobody else", async () => {
    const reply = await owner.try("renameOrganization", { path: { orgId: world.first }, body: { name: "Renamed" } });
    expect(reply.status).toBe(200);
    const lines = world.server
      .logged()
      .split("\n")
      .filter((line) => line.includes(reply.headers.get("x-request-id") ?? "none"));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: "action",
        route: "PATCH /internal/orgs/{orgId}",
        status: 200,
        orgId: world.first,
        userId: world.userIds.owner,
      }),
    ]);
  });

  it("leaves no cookie, token or key in the log", async () => {
    const made = await owner.do("createKey", {
      path: { orgId: world.first },
      body: { name: "Secret", permissions: ["players:read"], expiresAt: null },
    });
    const { link } = await owner.do("invite", {
      path: { orgId: world.first },
      body: { email: "logged@example.com", role: "viewer" },
    });
    const logged = world.server.logged();
    for (const secret of [made.key, link.split("#")[1] ?? "", ...owner.cookies.values()]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(logged).not.toContain(secret);
      expect(logged).not.toContain(decodeURIComponent(secret));
    }
  });

  it("is counted by the action's record, never by what was asked for", async () => {
    await owner.send("GET", "/internal/made-up/by-a-client");
    const metrics = await (await fetch(`${world.server.origin}/metrics`)).text();
    expect(metrics).toContain('route="unknown /internal"');
    expect(metrics).toContain('lineup_requests_total{route="PATCH /internal/orgs/{orgId}",status="200"');
    expect(metrics).not.toContain("made-up");
    expect(metrics).not.toContain(world.first);
  });
});
