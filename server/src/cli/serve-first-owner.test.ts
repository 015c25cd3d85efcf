import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLineup } from "../../test/run-lineup.ts";
import { killLiving, serve } from "../../test/serving-process.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-serve-people-"));
});
afterAll(() => {
  killLiving();
  rmSync(folder, { recursive: true, force: true });
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

    await runLineup(["org", "delete", "Northwind Esports", "--yes"], settings);
    const third = await serve(["--demo"], settings);
    const again = /\/link#([\w-]+)/.exec(third.banner)?.[1];
    expect(await act(third.origin, "POST", "/links/sign-in", { token: again })).toMatchObject({
      status: 200,
      body: { organizationId: expect.stringMatching(/^org_/) },
    });
    expect(await third.stop("SIGTERM")).toBe(0);
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

  test.each(["error", "silent"])("is told the token at the log level %s, too", async (level) => {
    const dataDir = join(folder, `set-up-${level}`);
    // In the way of the file.
    mkdirSync(join(dataDir, "setup-token", "in the way"), { recursive: true });
    const server = await serve([], { LINEUP_DATA_DIR: dataDir, LINEUP_LOG_LEVEL: level });
    await expect.poll(() => server.logged()).toContain('"token"');
    const line = JSON.parse(server.logged().trim().split("\n").at(-1) ?? "");
    expect(line.msg).toContain(`could not be written in ${dataDir}`);
    expect(server.banner).toContain("the last line of the log;");
    const made = await act(server.origin, "POST", "/setup", { ...typed, token: line.token });
    expect(made.status).toBe(200);
    expect(await server.stop("SIGTERM")).toBe(0);
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
