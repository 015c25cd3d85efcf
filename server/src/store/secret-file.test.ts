import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSecret, requireSecret, SECRET_FILE } from "./secret-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-secret-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the secret of the settings goes before any file, and makes none", () => {
  expect(requireSecret({ dataDir: folder, secret: "a configured one" })).toBe("a configured one");
  expect(readdirSync(folder)).toEqual([]);
});

test("without one it is made at first use, for its owner alone, and found ever after", () => {
  const dataDir = join(folder, "new", "data");
  expect(findSecret({ dataDir, secret: undefined })).toBeUndefined();
  const secret = requireSecret({ dataDir, secret: undefined });
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(join(dataDir, SECRET_FILE)).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual([SECRET_FILE]);
  expect([requireSecret({ dataDir, secret: undefined }), findSecret({ dataDir, secret: undefined })]).toEqual([
    secret,
    secret,
  ]);
});

test("processes that make it at once agree on one", async () => {
  const module = JSON.stringify(new URL("secret-file.ts", import.meta.url).href);
  const program = `
    import { requireSecret } from ${module};
    const at = Number(process.argv[1]);
    while (Date.now() < at);
    process.stdout.write(requireSecret({ dataDir: ${JSON.stringify(join(folder, "raced"))} }));`;
  const at = String(Date.now() + 1_500);
  const secrets = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", program, at], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
      return out;
    }),
  );
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]).toBe(readFileSync(join(folder, "raced", SECRET_FILE), "utf8").trim());
  expect(readdirSync(join(folder, "raced"))).toEqual([SECRET_FILE]);
});

test("one of several lines, as other programs make it, is taken", () => {
  writeFileSync(join(folder, SECRET_FILE), `${"a".repeat(64)}\r\n${"b".repeat(24)}\n`);
  expect(requireSecret({ dataDir: folder, secret: undefined })).toBe(`${"a".repeat(64)}\r\n${"b".repeat(24)}`);
});

test.each([0, 5, 40, 63])("a file of %i characters, fewer than are made, is refused, and says what to do", (length) => {
  const cut = `${"a".repeat(length)}\n`;
  writeFileSync(join(folder, SECRET_FILE), cut);
  const refused = /fewer than 64 characters: it was cut off.*backup.*move the file away/;
  expect(() => requireSecret({ dataDir: folder, secret: undefined })).toThrow(refused);
  expect(() => findSecret({ dataDir: folder, secret: undefined })).toThrow(refused);
  expect(readFileSync(join(folder, SECRET_FILE), "utf8")).toBe(cut);
});

test("with PostgreSQL it has to be set, whatever lies in the folder", () => {
  writeFileSync(join(folder, SECRET_FILE), "a".repeat(64));
  const settings = { dataDir: folder, databaseUrl: "postgres://db/lineup", secret: undefined };
  expect(() => requireSecret(settings)).toThrow(/LINEUP_SECRET is not set.*LINEUP_SECRET_FILE to that file/);
  expect(findSecret(settings)).toBeUndefined();
  expect(requireSecret({ ...settings, secret: "a configured one" })).toBe("a configured one");
});

test("a place where it cannot be kept is refused, and says what to do", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => requireSecret({ dataDir: join(folder, "file"), secret: undefined })).toThrow(/LINEUP_SECRET/);
  const closed = join(folder, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o500);
  // Anyone who is root may write everywhere.
  if (process.getuid?.() !== 0)
    expect(() => requireSecret({ dataDir: closed, secret: undefined })).toThrow(/LINEUP_SECRET/);
});
