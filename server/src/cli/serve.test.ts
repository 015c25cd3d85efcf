import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LineupProcess, type LineupSettings, runLineup, startLineup } from "./run-lineup.ts";

let folder: string;
const living = new Set<LineupProcess>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-serve-"));
});
afterAll(() => {
  for (const child of living) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Serving {
  readonly child: LineupProcess;
  readonly origin: string;
  /** Everything printed until the server was ready. */
  readonly banner: string;
  /** Everything logged so far. */
  logged(): string;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Runs the server until its banner is complete: it ends with an empty line after a command to paste. */
async function serve(words: readonly string[], settings: LineupSettings): Promise<Serving> {
  const child = await startLineup(["serve", ...words], { LINEUP_PORT: "0", ...settings });
  living.add(child);
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  let banner = "";
  for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    banner += text;
    if (/\n {2}(curl|npx lineup) .*\n\n$/.test(banner)) break;
  }
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner) ?? [];
  if (origin === undefined) throw new Error(`The server did not start:\n${banner}\n${err}`);
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await once(child, "exit");
    living.delete(child);
    return code as number | null;
  };
  return { child, origin, banner, logged: () => err, stop };
}

describe("lineup serve", () => {
  test("on an empty store says how to make an organization, and stops cleanly on SIGTERM", async () => {
    const server = await serve([], { LINEUP_DATA_DIR: join(folder, "plain"), LINEUP_LOG_LEVEL: "silent" });
    expect(server.banner).toContain("npx lineup org create");
    expect(server.banner).toContain(`${server.origin}/docs`);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    expect(await server.stop("SIGTERM")).toBe(0);
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

  test("says in one sentence why it cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const busy = await runLineup(["serve"], { LINEUP_DATA_DIR: join(folder, "busy"), LINEUP_PORT: port });
    taken.close();
    expect(busy).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/Another program.*LINEUP_PORT/) });

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

/** One action of the dashboard, as its pages take it. */
async function act(origin: string, method: string, path: string, body?: object, cookie = "") {
  const response = await fetch(`${origin}/internal${path}`, {
    method,
    headers: { origin, cookie, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const cookies = response.headers.getSetCookie().map((one) => one.split(";")[0]);
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; tests judge it field by field.
  return { status: response.status, body: (await response.json()) as any, cookie: cookies.join("; ") };
}

describe("the first owner", () => {
  const typed = { name: "First Owner", email: "first@example.com", password: "a long enough password" };

  test("of the sample comes in by the printed link, once; later starts say how to make another", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "newcomer") };
    const first = await serve(["--demo"], settings);
    const [, site, token] = /(http:\S+)\/link#([\w-]+)/.exec(first.banner) ?? [];
    expect(site).toBe(first.origin);
    expect(first.logged()).not.toContain("token");
    const entered = await act(first.origin, "POST", "/links/sign-in", { token });
    expect(entered).toMatchObject({ status: 200, body: { organizationId: expect.stringMatching(/^org_/) } });
    const session = await act(first.origin, "GET", "/session", undefined, entered.cookie);
    expect(session.body).toMatchObject({
      user: { name: "Sample owner", hasPassword: false },
      organizations: [{ name: "Northwind Esports", role: "owner" }],
      needsSetup: false,
    });
    expect(await act(first.origin, "POST", "/links/sign-in", { token })).toMatchObject({ status: 404 });
    expect(await first.stop("SIGTERM")).toBe(0);
    expect(first.logged()).not.toContain(token);

    const second = await serve(["--demo"], settings);
    expect(second.banner).toContain("npx lineup user link owner@northwind.example");
    expect(second.banner).not.toContain("/link#");
    expect(await second.stop("SIGTERM")).toBe(0);
  });

  test("sets up with the token that is the last line of the log and lies in the folder", async () => {
    const dataDir = join(folder, "set-up");
    const server = await serve([], { LINEUP_DATA_DIR: dataDir });
    const file = join(dataDir, "setup-token");
    expect(server.banner).toContain(`${server.origin}/setup`);
    expect(server.banner).toContain(file);
    await expect.poll(() => server.logged()).toContain('"token"');
    const line = JSON.parse(server.logged().trim().split("\n").at(-1) ?? "");
    expect(line).toMatchObject({ page: `${server.origin}/setup`, file });
    expect(readFileSync(file, "utf8")).toBe(`${line.token}\n`);
    expect(server.banner).not.toContain(line.token);

    expect((await act(server.origin, "GET", "/session")).body).toMatchObject({ user: null, needsSetup: true });
    expect(await act(server.origin, "POST", "/setup", { ...typed, token: "guessed" })).toMatchObject({ status: 401 });
    const made = await act(server.origin, "POST", "/setup", { ...typed, token: line.token, organizationName: "Mine" });
    expect(made.status).toBe(200);
    const session = await act(server.origin, "GET", "/session", undefined, made.cookie);
    expect(session.body).toMatchObject({ user: { email: typed.email }, organizations: [{ name: "Mine" }] });
    expect(existsSync(file)).toBe(false);
    expect(await server.stop("SIGTERM")).toBe(0);

    const later = await serve([], { LINEUP_DATA_DIR: dataDir });
    expect(await later.stop("SIGTERM")).toBe(0);
    expect(later.banner + later.logged()).not.toMatch(/setup/);
  });

  test("of the settings signs in, and later starts leave the password alone", async () => {
    const settings = { LINEUP_DATA_DIR: join(folder, "admin"), LINEUP_ADMIN_EMAIL: typed.email };
    const first = await serve(["--demo"], { ...settings, LINEUP_ADMIN_PASSWORD: typed.password });
    expect(first.banner).not.toContain("/link#");
    const enter = (origin: string, password: string) =>
      act(origin, "POST", "/session", { email: typed.email, password });
    const entered = await enter(first.origin, typed.password);
    const session = await act(first.origin, "GET", "/session", undefined, entered.cookie);
    expect(session.body.organizations).toMatchObject([{ name: "Northwind Esports", role: "owner" }]);
    expect(await first.stop("SIGTERM")).toBe(0);
    expect(first.logged()).not.toContain(typed.password);

    const second = await serve([], { ...settings, LINEUP_ADMIN_PASSWORD: "another long password" });
    expect((await enter(second.origin, "another long password")).status).toBe(401);
    expect((await enter(second.origin, typed.password)).status).toBe(200);
    expect(await second.stop("SIGTERM")).toBe(0);
  });
});
