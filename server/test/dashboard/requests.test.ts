import type { RequestView } from "@lineup/api/dashboard/records";
import { DAY_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, makeKey, type Reply } from "../test-server.ts";
import { makeWorld, type World } from "./dashboard-world.ts";
import type { Visitor } from "./visitor.ts";

let world: World;
let compliance: Visitor;
let keys: { readonly first: string; readonly firstId: string; readonly other: string };
const replies: Reply[] = [];
let askedFromMs: number;

beforeAll(async () => {
  world = await makeWorld();
  compliance = world.visitors.compliance;
  const first = await makeKey(world.server, world.first);
  const other = await makeKey(world.server, world.first);
  const foreign = await makeKey(world.server, world.second);
  keys = { first: first.key, firstId: first.id, other: other.key };
  askedFromMs = Date.now();
  await call(world.server, "GET", "/players", { key: foreign.key });
  for (let page = 1; page <= 6; page++) {
    replies.push(await call(world.server, "GET", `/players?limit=${page}`, { key: keys.first }));
    replies.push(await call(world.server, "GET", `/teams?search=${page}`, { key: keys.other }));
  }
  replies.push(await call(world.server, "POST", "/players", { key: keys.first, body: { ign: "Vex" } }));
  replies.push(await call(world.server, "GET", "/nowhere", { key: keys.first }));
});
afterAll(() => world?.stop());

const idOf = (reply: Reply | undefined) => reply?.headers.get("x-request-id") ?? "";
const ids = () => replies.map(idOf);

async function list(query: Record<string, string> = {}) {
  return compliance.do("listRequests", { path: { orgId: world.first }, query });
}

/** All pages: on a busy machine the first may end before the search does. */
async function listAll(query: Record<string, string> = {}) {
  let page = await list(query);
  const requests: RequestView[] = [...page.requests];
  while (page.nextCursor !== null) {
    page = await list({ ...query, cursor: page.nextCursor });
    requests.push(...page.requests);
  }
  return { ...page, requests };
}

describe("the requests of an organization", () => {
  it("are listed newest first as soon as they were answered, with their keys' names, and no others", async () => {
    const listedFromMs = Date.now();
    const { requests, retentionDays, searchedBackTo } = await listAll();
    expect(requests.map(({ id }: RequestView) => id)).toEqual(ids().toReversed());
    expect(retentionDays).toBe(7);
    expect(searchedBackTo).toBeGreaterThanOrEqual(listedFromMs - 7 * DAY_MS);
    expect(searchedBackTo).toBeLessThanOrEqual(Date.now() - 7 * DAY_MS);
    expect(requests[1]).toEqual({
      id: idOf(replies.at(-2)),
      at: expect.any(Number),
      method: "POST",
      target: "/players",
      route: "POST /players",
      status: 400,
      code: "VALIDATION_ERROR",
      durationMs: expect.any(Number),
      keyId: keys.firstId,
      keyName: "Test key",
      keyShownPrefix: keys.first.slice(0, 16),
      address: "127.0.0.1",
      userAgent: expect.any(String),
    });
    expect(requests[0]).toMatchObject({ target: "/nowhere", route: null });
    expect(JSON.stringify(requests)).not.toContain(keys.first.slice(16, 24));
  });

  it.each([
    ["keyId", () => ({ keyId: keys.firstId }), 8],
    ["a status", () => ({ status: "404" }), 1],
    ["a class of statuses", () => ({ status: "4xx" }), 2],
    ["a code", () => ({ code: "VALIDATION_ERROR" }), 1],
    ["a method", () => ({ method: "POST" }), 1],
    ["part of the path, in any case", () => ({ path: "/TEAMS?se" }), 6],
    ["all of them together", () => ({ path: "players", keyId: keys.firstId, status: "2xx", method: "GET" }), 6],
    ["a time before all of them", () => ({ to: "1000" }), 0],
    ["a time since the first of them", () => ({ from: String(askedFromMs) }), 14],
    ["an id", () => ({ id: idOf(replies[3]) }), 1],
    ["an id that nobody has", () => ({ id: "req_01h2xcejqtf2nbrexx3vqjhp41" }), 0],
  ] as const)("are found by %s", async (_, query, count) => {
    expect((await listAll(query())).requests).toHaveLength(count);
  });

  it("are walked page by page, each once", async () => {
    const walked: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: "4", ...(cursor === null ? {} : { cursor }) });
      walked.push(...page.requests.map(({ id }: RequestView) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(walked).toEqual(ids().toReversed());
  });

  it("are not listed from a cursor that nobody was given", async () => {
    for (const cursor of ["x", "req_", "req_01h2xcejqtf2nbrexx3vqjhp4", "' OR 1=1 --"]) {
      const reply = await compliance.try("listRequests", { path: { orgId: world.first }, query: { cursor } });
      expect([reply.status, reply.code]).toEqual([400, "VALIDATION_ERROR"]);
    }
  });

  it("are opened by their id, and only in the organization they belong to", async () => {
    const requestId = idOf(replies[0]);
    const opened = await compliance.do("getRequest", { path: { orgId: world.first, requestId } });
    expect(opened).toMatchObject({ id: requestId, target: "/players?limit=1", status: 200 });
    const foreign = await world.visitors.stranger.try("getRequest", { path: { orgId: world.second, requestId } });
    expect([foreign.status, foreign.code]).toEqual([404, "NOT_FOUND"]);
    const nonsense = await compliance.try("getRequest", { path: { orgId: world.first, requestId: "req_~" } });
    expect(nonsense.status).toBe(404);
  });
});
