import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Finished, runLineup } from "../../test/run-lineup.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-users-"));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "4321" });

async function lineupJson(...words: string[]) {
  const { code, out, err } = await lineup(...words, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

function expectRefusal(finished: Finished, code: number, message: string | RegExp): void {
  expect(finished.err).toMatch(message);
  expect(finished.err).not.toContain("    at ");
  expect(finished).toMatchObject({ code, out: "" });
}

const LINK = /^http:\/\/127\.0\.0\.1:4321\/link#[\w-]{43}$/;

/** What the rules are, identity's own tests say on both databases; here, that the commands follow them. */
describe("lineup user", () => {
  test("makes accounts: with a link to choose a password, or with a password from a file", async () => {
    const first = await lineupJson("user", "create", "--email", "First@Example.com");
    expect(first).toMatchObject({
      id: expect.stringMatching(/^user_/),
      email: "first@example.com",
      name: "first",
      isOperator: false,
      organization: { name: "My organization", role: "owner" },
      link: expect.stringMatching(LINK),
    });
    const file = join(dataDir, "password");
    writeFileSync(file, "what I will type\n");
    const words = ["user", "create", "--email", "kim@example.com", "--name", "Kim Lee", "--org", "My organization"];
    const made = await lineupJson(...words, "--role", "manager", "--password-file", file);
    expect(made).toMatchObject({ name: "Kim Lee", organization: { role: "manager" } });
    expect(made.link).toBeUndefined();
    const stored = readFileSync(join(dataDir, "lineup.db"), "latin1");
    expect(stored).toContain("kim@example.com");
    for (const secret of [first.link.split("#")[1], "what I will type"]) expect(stored).not.toContain(secret);
    const { out } = await lineup("user", "list");
    expect(out).toMatch(/first@example\.com +first +My organization \(owner\) +no +a link +not signed in/);
    expect(out).toMatch(/kim@example\.com +Kim Lee +My organization \(manager\) +no +password +not signed in/);
  });

  test("refuses what makes no account, and says what to do", async () => {
    const file = join(dataDir, "short");
    writeFileSync(file, "short");
    const create = (...words: string[]) => lineup("user", "create", ...words);
    const a = ["--email", "a@example.com"];
    expectRefusal(await create(...a), 1, /--org ORG.*--operator/);
    expectRefusal(await create(...a, "--role", "owner"), 2, "--org");
    expectRefusal(await create(...a, "--org", "My organization", "--role", "boss"), 2, "owner, compliance, manager");
    expectRefusal(await create(...a, "--operator", "--password-file", file), 1, "12 to 200 characters");
    expectRefusal(
      await create(...a, "--operator", "--password-file", "/dev/zero"),
      1,
      "it is a device, not a file. Name",
    );
    expectRefusal(await create("--email", "nonsense", "--operator"), 2, "no email address");
  });

  test("makes links, members and operators", async () => {
    expect(await lineupJson("user", "reset", "kim@example.com", "--second-factor")).toMatchObject({
      email: "kim@example.com",
      link: expect.stringMatching(LINK),
      expiresAt: expect.any(Number),
    });
    const settings = { LINEUP_DATA_DIR: dataDir, LINEUP_PUBLIC_URL: "https://lineup.example.com" };
    const { out } = await runLineup(["user", "link", "kim@example.com"], settings);
    expect(out).toMatch(/once, until .* UTC:\n\n {2}https:\/\/lineup\.example\.com\/link#/);
    const joined = await lineupJson("user", "join", "kim@example.com", "--org", "My organization", "--role", "owner");
    expect(joined).toMatchObject({ organization: { role: "owner" } });
    expect((await lineup("user", "operator", "kim@example.com", "on")).out).toContain("is an operator");
    expectRefusal(await lineup("user", "operator", "kim@example.com", "maybe"), 2, "on or off");
  });

  test("deletes an account for good, once that is confirmed", async () => {
    const asked = await lineup("user", "delete", "first@example.com");
    expectRefusal(asked, 1, "npx lineup user delete first@example.com --yes");
    expect(await lineupJson("user", "delete", "first@example.com", "--yes")).toMatchObject({ name: "first" });
    expectRefusal(await lineup("user", "delete", "kim@example.com", "--yes"), 1, /last owner.*--force/);
    expect((await lineup("user", "delete", "kim@example.com", "--yes", "--force")).code).toBe(0);
    expect(await lineup("user", "list")).toMatchObject({ code: 0, err: expect.stringContaining("user create") });
  });
});
