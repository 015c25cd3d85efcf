import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLineup, startLineup } from "../../test/run-lineup.ts";
import { killLiving, living, serve } from "../../test/serving-process.ts";
import { createOrganization } from "../access/organizations.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import { openSqliteStore } from "../store/sqlite.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-serve-"));
});
afterAll(() => {
  killLiving();
  rmSync(folder, { recursive: true, force: true });
});

describe("lineup serve", () => {
  test("on an empty store says how to make an organization, and stops cleanly on SIGTERM", async () => {
    const server = await serve([], { LINEUP_DATA_DIR: join(folder, "plain"), LINEUP_LOG_LEVEL: "silent" });
    expect(server.banner).toContain("npx lineup org create");
    expect(server.banner).toContain(`${server.origin}/docs`);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    expect(await server.stop("SIGTERM")).toBe(0);
  });

  test("stops in order when its terminal is closed", async () => {
    const server = await serve([], { LINEUP_DATA_DIR: join(folder, "hung-up"), LINEUP_LOG_LEVEL: "info" });
    expect(await server.stop("SIGHUP")).toBe(0);
    expect(server.logged()).toContain('"stopped"');
  });

  test("goes on when nobody reads its output any more, and stops in order", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "unread"), LINEUP_PORT: "0", LINEUP_LOG_LEVEL: "info" };
    const child = await startLineup(["serve", "--demo"], settings);
    living.add(child);
    child.stdout.destroy();
    let logged = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      logged += text;
    });
    await expect.poll(() => logged).toContain('"listening"');
    const [, address] = /"address":"(http:[^"]+)"/.exec(logged) ?? [];
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    living.delete(child);
    expect([code, logged]).toEqual([0, expect.stringContaining('"stopped"')]);
  });

  test("is refused beside a server on the same folder, and so is a restore; other commands are not", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "shared"), LINEUP_LOG_LEVEL: "silent" };
    const server = await serve([], settings);
    const second = await runLineup(["serve"], { ...settings, LINEUP_PORT: "0" });
    expect(second).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/server is running on .*shared/) });
    expect(second.err).not.toContain("    at ");
    const file = join(folder, "shared.db");
    expect(await runLineup(["backup", file], settings)).toMatchObject({ code: 0 });
    expect(await runLineup(["restore", file], settings)).toMatchObject({
      code: 1,
      err: expect.stringContaining("Stop it first"),
    });

    const organization = await runLineup(["org", "create", "--name", "Live", "--json"], settings);
    const { id: org } = JSON.parse(organization.out);
    const words = ["key", "create", "--org", org, "--name", "K", "--permission", "teams:read", "--json"];
    const { id, key } = JSON.parse((await runLineup(words, settings)).out);
    const call = () => fetch(`${server.origin}/api/public/v1/teams`, { headers: { Authorization: `Bearer ${key}` } });
    expect((await call()).status).toBe(200);
    expect(await runLineup(["key", "revoke", id], settings)).toMatchObject({ code: 0 });
    expect(await (await call()).json()).toMatchObject({ error: { code: "KEY_REVOKED" } });

    expect(await server.stop("SIGINT")).toBe(0);
    expect(await runLineup(["restore", file], settings)).toMatchObject({ code: 0 });
  });

  test("is found by commands that do not know its port, for as long as it runs", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "found"), LINEUP_LOG_LEVEL: "silent" };
    const printed = async (...words: string[]) => (await runLineup(words, settings)).out;
    await printed("user", "create", "--email", "sam@example.com");
    const link = () => printed("user", "link", "sam@example.com");
    expect(await link()).toContain("http://127.0.0.1:3000/link#");
    const byLink = { ...settings, LINEUP_DATA_DIR: `${settings.LINEUP_DATA_DIR}-link` };
    symlinkSync(settings.LINEUP_DATA_DIR, byLink.LINEUP_DATA_DIR);
    for (const [ending, words] of [
      ["SIGTERM", []],
      ["SIGKILL", ["--workers", "1"]],
    ] as const) {
      const server = await serve(words, { ...settings, LINEUP_PUBLIC_URL: "https://lineup.example.com" });
      const key = ["key", "create", "--org", "My organization", "--name", "K", "--permission", "teams:read"];
      expect(await printed(...key)).toContain(`${server.origin}/api/public/v1/me`);
      expect((await runLineup(key, byLink)).out).toContain(`${server.origin}/api/public/v1/me`);
      expect(await link()).toContain("https://lineup.example.com/link#");
      await server.stop(ending);
      expect(await link()).toContain("http://127.0.0.1:3000/link#");
    }
  });

  test.each(["0", "65", "-1", "two", "1.5"])("refuses %s workers, and says what to write instead", async (workers) => {
    const sentence = `must be a whole number from 1 to 64, or auto for one a core, not "${workers}".`;
    const settings = { LINEUP_DATA_DIR: join(folder, "workers") };
    const byOption = await runLineup(["serve", `--workers=${workers}`], settings);
    expect([byOption.code, byOption.err]).toEqual([2, expect.stringContaining(`--workers ${sentence}`)]);
    const bySetting = await runLineup(["serve"], { ...settings, LINEUP_WORKERS: workers });
    expect([bySetting.code, bySetting.err]).toEqual([1, expect.stringContaining(`LINEUP_WORKERS ${sentence}`)]);
  });

  test("refuses several workers on the embedded store, and says why", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "workers"), LINEUP_WORKERS: "2" };
    const refused = await runLineup(["serve"], settings);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/2 workers need PostgreSQL and Redis: the embedded store has one writer/);
    const withoutRedis = { ...settings, LINEUP_DATABASE_URL: "postgres://127.0.0.1:1/none" };
    expect((await runLineup(["serve"], withoutRedis)).err).toMatch(
      /count requests by itself. Set LINEUP_REDIS_URL, or/,
    );
    expect(existsSync(settings.LINEUP_DATA_DIR)).toBe(false);
  });

  test("says in one sentence why it cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const place = { LINEUP_DATA_DIR: join(folder, "busy"), LINEUP_PORT: port };
    const busy = await runLineup(["serve"], place);
    taken.close();
    expect(busy).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/Another program.*LINEUP_PORT/) });
    expect(existsSync(join(folder, "busy", "lineup.db"))).toBe(false);

    const settings = { LINEUP_DATA_DIR: join(folder, "open"), LINEUP_PORT: "0", LINEUP_HOST: "0.0.0.0" };
    expect(await runLineup(["serve"], settings)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/LINEUP_HOST.*LINEUP_TLS_CERT/),
    });
    const pem = join(folder, "no.pem");
    writeFileSync(pem, "no certificate");
    const secured = await runLineup(["serve"], { ...settings, LINEUP_TLS_CERT: pem, LINEUP_TLS_KEY: pem });
    expect(secured).toMatchObject({ code: 1, out: "", err: expect.stringContaining("LINEUP_TLS_CERT") });
    for (const { err } of [busy, secured]) expect(err).not.toContain("    at ");
  });

  test("ends at once on a second signal, but not on an echo of the first", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "twice"), LINEUP_DRAIN_MS: "600000", LINEUP_LOG_LEVEL: "silent" };
    const server = await serve([], settings);
    server.child.kill("SIGINT");
    server.child.kill("SIGTERM");
    const readiness = async () => (await fetch(`${server.origin}/readyz`)).status;
    await expect.poll(readiness).toBe(503);
    const pressing = setInterval(() => server.child.kill("SIGINT"), 100);
    const [code] = await once(server.child, "exit");
    clearInterval(pressing);
    living.delete(server.child);
    expect(code).toBe(1);
  });

  test("warns of a setting that it does not know, as every command does", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "typo"), LINEUP_HOTS: "::1" };
    expect(await runLineup(["migrate"], settings)).toMatchObject({
      code: 0,
      err: expect.stringContaining("LINEUP_HOST?"),
    });
  });
});

describe("lineup serve --demo", () => {
  test("makes a sample organization and a key that works, once", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "demo"), LINEUP_LOG_LEVEL: "silent" };
    const first = await serve(["--demo"], settings);
    const [, key, url] = /curl -H "Authorization: Bearer (lineup_live_\w+)" (http:\S+)/.exec(first.banner) ?? [];
    expect(url).toBe(`${first.origin}/api/public/v1/players`);
    const response = await fetch(url ?? "", { headers: { Authorization: `Bearer ${key}` } });
    const body = (await response.json()) as { data: unknown[] };
    expect(response.status).toBe(200);
    expect(response.headers.get("x-ratelimit-limit")).toBe("300");
    expect(body.data.length).toBeGreaterThan(0);
    expect(await first.stop("SIGTERM")).toBe(0);

    const second = await serve(["--demo"], settings);
    expect(second.banner).not.toContain("lineup_live_");
    expect(second.banner).toContain("npx lineup key create --org 'Northwind Esports'");
    expect(await second.stop("SIGTERM")).toBe(0);
  });

  test("makes a sample anew whose making was cut short", async () => {
    const dataDir = join(folder, "half");
    const settings = { LINEUP_DATA_DIR: dataDir, LINEUP_LOG_LEVEL: "silent" };
    mkdirSync(dataDir, { mode: 0o700 });
    const { store } = await openSqliteStore(dataDir);
    await createOrganization(store, { name: "Northwind Esports", tier: "Pro" }, commandOrigin("sample"), Date.now());
    await store.close();
    const { banner, stop } = await serve(["--demo"], settings);
    const [, key, url] = /curl -H "Authorization: Bearer (lineup_live_\w+)" (http:\S+)/.exec(banner) ?? [];
    const response = await fetch(url ?? "", { headers: { Authorization: `Bearer ${key}` } });
    expect(((await response.json()) as { meta: { count: number } }).meta.count).toBe(40);
    expect(await stop("SIGTERM")).toBe(0);
    expect(JSON.parse((await runLineup(["org", "list", "--json"], settings)).out)).toHaveLength(1);
  });

  test("does nothing but warn where other machines could reach the sample", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "reachable"), LINEUP_LOG_LEVEL: "silent" };
    const child = await startLineup(["serve", "--demo"], {
      ...settings,
      LINEUP_PORT: "0",
      LINEUP_HOST: "0.0.0.0",
      LINEUP_TRUST_PROXY: "192.0.2.1",
    });
    living.add(child);
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const [warning] = await once(child.stderr.setEncoding("utf8"), "data");
    expect(warning).toContain("--demo does nothing here");
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    living.delete(child);
    expect(code).toBe(0);
    expect(out).not.toContain("lineup_live_");
    expect((await runLineup(["org", "list", "--json"], settings)).out).toBe("[]\n");
  });
});
