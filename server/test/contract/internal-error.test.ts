/** Anything unexpected: the client gets an envelope with nothing of the inside, the log gets all of it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseBody, makeKey } from "../test-server.ts";
import { alterStore, ENGINE } from "../test-store.ts";
import { checkedCall, expectError, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
let key: string;
beforeAll(async () => {
  stage = await openStage();
  key = (await makeKey(stage.server, stage.seed.orgId)).key;
});
afterAll(() => stage.stop());

/** What goes wrong underneath: another hand takes a table away. */
function changeStore(sql: string): Promise<void> {
  return alterStore(stage.server.dataDir, sql);
}

/** What the database says of it. */
const TABLE_IS_GONE = { sqlite: /no such table/, postgres: /relation "\w+" does not exist/ }[ENGINE];

function logLineOf(requestId: string | null): LooseBody {
  const line = stage.server
    .logged()
    .split("\n")
    .find((text) => text.includes(`"${requestId}"`));
  return JSON.parse(line ?? "{}");
}

describe("a fault of ours", () => {
  it("answers 500 with the usual envelope and headers, counts, and passes with its cause", async () => {
    const send = (method: string, path: string, body?: unknown) =>
      checkedCall(stage.server, method, path, { key, body });
    const { id } = stage.seed.players[0];
    await changeStore("ALTER TABLE players RENAME TO players_gone");
    const remaining: number[] = [];
    for (const [method, path, body] of [
      ["GET", "/players"],
      ["GET", `/players/${id}`],
      ["POST", "/players", { ign: "Vex", role: "Player" }],
      ["PATCH", `/players/${id}`, { ign: "Vex" }],
      ["GET", "/roster"],
    ] as const) {
      const reply = await send(method, path, body);
      expectError(reply, "INTERNAL_ERROR");
      expect(reply.text).not.toMatch(
        /sqlite|players_gone|no such table|relation|pg_|postgres|select|\.ts|node_modules/i,
      );
      expect(reply.headers.get("ratelimit-policy")).toContain('"minute"');
      remaining.push(Number(reply.headers.get("x-ratelimit-remaining")));
      const line = logLineOf(reply.headers.get("x-request-id"));
      expect(line).toMatchObject({ status: 500, code: "INTERNAL_ERROR", orgId: stage.seed.orgId });
      expect(line.err.message).toMatch(TABLE_IS_GONE);
      expect(line.err.stack).toContain("at ");
    }
    expect(remaining).toEqual([999, 998, 997, 996, 995]);
    expect((await send("GET", "/teams")).status).toBe(200);
    await changeStore("ALTER TABLE players_gone RENAME TO players");
    expect((await send("GET", `/players/${id}`)).body.data.id).toBe(id);
  });

  it("answers 500 also when not even keys can be looked up", async () => {
    const other = (await makeKey(stage.server, stage.seed.orgId)).key;
    await changeStore("ALTER TABLE api_keys RENAME TO api_keys_gone");
    const reply = await checkedCall(stage.server, "GET", "/players", { key: other });
    await changeStore("ALTER TABLE api_keys_gone RENAME TO api_keys");
    expectError(reply, "INTERNAL_ERROR");
    expect(stage.server.logged()).not.toContain(other);
    expect((await checkedCall(stage.server, "GET", "/players", { key: other })).status).toBe(200);
  });
});
