import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Finished, runLineup } from "../../test/run-lineup.ts";
import { ENGINE, emptyStoreEnv, openTestStore } from "../../test/test-store.ts";
import { Authenticator } from "../access/authenticator.ts";
import { isKeyShaped } from "../access/key-format.ts";
import { systemClock } from "../limits/clock.ts";
import { MemoryLimiter } from "../limits/memory-limiter.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-commands-"));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir });

async function lineupJson(...words: string[]) {
  const { code, out, err } = await lineup(...words, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

function expectRefusal(finished: Finished, code: number, message: string | RegExp): void {
  expect(finished.err).toMatch(message);
  expect(finished).toMatchObject({ code, out: "" });
}

describe("lineup", () => {
  test("alone prints help with every command", async () => {
    const { code, out } = await lineup();
    expect(code).toBe(0);
    for (const name of ["serve", "migrate", "org", "key", "import", "export", "backup", "restore"]) {
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, "m"));
    }
  });

  test("suggests the nearest command and says where help is, on standard error", async () => {
    expectRefusal(await lineup("bakcup", "x.db"), 2, /unknown command 'bakcup'.*backup.*lineup --help/s);
    expectRefusal(await lineup("key", "create"), 2, /--org <ORG>.*lineup key create --help/s);
  });

  test("helps with a command of a group, and refuses to help with one that is none", async () => {
    expect(await lineup("help", "key", "create")).toMatchObject({
      code: 0,
      out: expect.stringContaining("key create"),
    });
    expectRefusal(await lineup("help", "expor"), 2, /unknown command 'expor'.*export/s);
    expectRefusal(await lineup("help", "key", "nope"), 2, "unknown command 'nope'");
    const file = join(dataDir, "helped.db");
    expect(await lineup("help", "backup", file)).toMatchObject({ code: 0, out: expect.stringContaining("<FILE>") });
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ["export", "--org", "A", ""],
    ["import", "--org", "A", ""],
    ["backup", ""],
    ["restore", ""],
    ["move", "--to", ""],
    ["move", "--to-file", ""],
    ["doctor", "--backups", ""],
    ["user", "create", "--email", "a@example.com", "--password-file", ""],
  ])("takes no empty path for the current folder: lineup %s", async (...words) => {
    expectRefusal(await lineup(...words), 2, /(PATH|FILE|--\S+) is empty/);
  });

  test("names a wrong setting and does nothing", async () => {
    const finished = await runLineup(["org", "list"], { LINEUP_DATA_DIR: dataDir, LINEUP_DRAIN_MS: "soon" });
    expectRefusal(finished, 1, "LINEUP_DRAIN_MS must be a whole number");
  });

  test("makes no store where one is only to be read", async () => {
    const mistyped = { LINEUP_DATA_DIR: join(dataDir, "mistyped"), ...(await emptyStoreEnv()) };
    const refusal = {
      sqlite: /no store in .*mistyped.*LINEUP_DATA_DIR/,
      postgres: /holds no Lineup store/,
    }[ENGINE];
    for (const words of [
      ["org", "list"],
      ["backup", join(dataDir, "x.db")],
    ]) {
      for (let attempt = 0; attempt < 2; attempt++) expectRefusal(await runLineup(words, mistyped), 1, refusal);
    }
    expect(existsSync(mistyped.LINEUP_DATA_DIR)).toBe(false);
  });
});

describe("lineup org", () => {
  test("makes, lists, renames, moves to another tier and deletes an organization", async () => {
    const made = await lineupJson("org", "create", "--name", "Northwind", "--tier", "pro");
    expect(made).toMatchObject({ id: expect.stringMatching(/^org_/), name: "Northwind", tier: "Pro" });
    expect(await lineupJson("org", "rename", "Northwind", "Southwind")).toMatchObject({
      id: made.id,
      name: "Southwind",
    });
    expect(await lineupJson("org", "tier", made.id, "basic")).toMatchObject({ tier: "Basic" });
    expect(await lineupJson("org", "list")).toEqual([
      expect.objectContaining({ id: made.id, name: "Southwind", tier: "Basic", keyCount: 0 }),
    ]);

    expectRefusal(await lineup("org", "delete", "Southwind"), 1, `npx lineup org delete ${made.id} --yes`);
    expectRefusal(await lineup("org", "tier", "Southwind", "gold"), 2, "Free, Basic, Pro, Enterprise");
    expectRefusal(await lineup("org", "rename", "Southwind", " "), 2, "must not be empty");
    expectRefusal(await lineup("org", "rename", "Nobody", "X"), 1, /no organization "Nobody".*org list/);

    expect(await lineup("org", "delete", "Southwind", "--yes")).toMatchObject({ code: 0, err: "" });
    expect(await lineupJson("org", "list")).toEqual([]);
  });

  test.each([
    ["--tier", "gold", "Free, Basic, Pro, Enterprise"],
    ["--name", " ", "must not be empty"],
  ])("refuses %s %s before it makes a store", async (option, value, message) => {
    const fresh = { LINEUP_DATA_DIR: join(dataDir, "fresh"), ...(await emptyStoreEnv()) };
    expectRefusal(await runLineup(["org", "create", "--name", "X", option, value], fresh), 2, message);
    expect(existsSync(fresh.LINEUP_DATA_DIR)).toBe(false);
  });
});

describe("lineup key", () => {
  let orgId: string;
  beforeAll(async () => {
    orgId = (await lineupJson("org", "create", "--name", "Key & Co")).id;
  });

  const create = (name: string, ...more: string[]) =>
    lineupJson("key", "create", "--org", "Key & Co", "--name", name, "--permission", "teams:read", ...more);

  test("makes a key that works and is shown this once", async () => {
    const before = Date.now();
    const made = await create("Sync", "--permission", "players:read,players:write", "--expires", "90d");
    expect(isKeyShaped(made.key)).toBe(true);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^key_/),
      name: "Sync",
      permissions: ["players:read", "players:write", "teams:read"],
      organization: { id: orgId, name: "Key & Co" },
    });
    expect(made.expiresAt - 90 * DAY_MS).toBeGreaterThanOrEqual(before);
    expect(made.expiresAt - 90 * DAY_MS).toBeLessThanOrEqual(Date.now());

    const store = await openTestStore(dataDir);
    const { outcome } = await new Authenticator(store).authenticate(made.key, Date.now());
    await store.close();
    expect(outcome).toBe("valid");
    const { out } = await lineup("key", "show", made.id);
    expect(out).toContain(made.shownPrefix);
    expect(out).not.toContain(made.key);
  });

  test("says in words what a person needs to use the new key", async () => {
    const words = ["key", "create", "--org", orgId, "--name", "Human", "--permission", "teams:read"];
    const { code, out } = await runLineup(words, { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "4321" });
    expect(code).toBe(0);
    const [key = ""] = /lineup_live_\w+/.exec(out) ?? [];
    expect(out).toContain("shown this once");
    expect(out).toContain(`curl -H "Authorization: Bearer ${key}" http://127.0.0.1:4321/api/public/v1/me`);
  });

  test.each([
    ["--permission", "teams:write", 'no permission "teams:write"'],
    ["--expires", "2020-01-01", "must lie in the future"],
    ["--expires", "0d", "must lie in the future"],
    ["--expires", "next week", "a span such as 90d"],
    ["--name", " ", "must not be empty"],
  ])("refuses %s %s", async (option, value, message) => {
    const words = ["key", "create", "--org", orgId, "--name", "X", "--permission", "teams:read"];
    expectRefusal(await lineup(...words, option, value), 2, message);
  });

  test("rotates: the successor is printed, the old key is on its way out", async () => {
    const old = await create("Turn", "--expires", "2999-12-31");
    const before = Date.now();
    const successor = await lineupJson("key", "rotate", old.id, "--overlap", "30m");
    expect(successor).toMatchObject({ name: "Turn", permissions: ["teams:read"], expiresAt: Date.UTC(2999, 11, 31) });
    expect(isKeyShaped(successor.key)).toBe(true);
    const shown = await lineupJson("key", "show", old.id);
    expect(shown).toMatchObject({ state: "rotating", successorId: successor.id });
    expect(shown.expiresAt - before - 30 * 60_000).toBeLessThan(60_000);
    expectRefusal(await lineup("key", "rotate", old.id), 1, successor.id);
    expectRefusal(await lineup("key", "rotate", successor.id, "--overlap", "soon"), 2, "--overlap must be 0 or a span");
  });

  test("lists state and last use, and revokes once and for all", async () => {
    const [used, revoked] = [await create("Used"), await create("Leaked")];
    const limiter = new MemoryLimiter({ file: join(dataDir, "limits.db"), clock: systemClock });
    const usedFrom = Date.now();
    limiter.take(used.id, "Free");
    limiter.close();
    expect((await lineup("key", "revoke", revoked.id)).out).toContain("KEY_REVOKED");
    expect(await lineup("key", "revoke", revoked.id)).toMatchObject({
      code: 0,
      out: expect.stringContaining("already"),
    });

    const keys = await lineupJson("key", "list", "--org", orgId);
    const found = (id: string) => keys.find((key: { id: string }) => key.id === id);
    expect(found(revoked.id)).toMatchObject({ state: "revoked", lastUsedAt: null, createdBy: "key create" });
    expect(found(used.id)).toMatchObject({ state: "active", revokedAt: null });
    expect(Math.abs(found(used.id).lastUsedAt - usedFrom)).toBeLessThan(5_000);

    const { out } = await lineup("key", "list", "--org", "Key & Co");
    const [title] = out.split("\n");
    expect(title?.split(/ {2,}/)).toEqual([
      "ID",
      "NAME",
      "KEY",
      "PERMISSIONS",
      "STATE",
      "LAST USED",
      "EXPIRES",
      "CREATED BY",
    ]);
    expect(out).toMatch(new RegExp(`${revoked.id}.*revoked +never`));
    expect(out).not.toContain("\u001b");
    for (const { key } of [used, revoked]) expect(out).not.toContain(key);
  });
});
