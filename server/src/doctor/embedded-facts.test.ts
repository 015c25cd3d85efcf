import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { explainReading, openReadOnly } from "./embedded-facts.ts";

test("a file that a server has open is read with what it writes meanwhile, and a closed one without a trace", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lineup-read-only-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "lineup.db");
  const server = new Sqlite(file);
  server.pragma("journal_mode = WAL");
  server.exec("CREATE TABLE seen (number INTEGER)");
  // As it is after people were erased.
  server.pragma("wal_checkpoint(TRUNCATE)");
  const count = async (reader: ReturnType<typeof openReadOnly>) => reader.all("SELECT number FROM seen");
  const beside = openReadOnly(file);
  server.exec("INSERT INTO seen VALUES (1)");
  expect(await count(beside)).toHaveLength(1);
  beside.close();
  server.close();
  const alone = openReadOnly(file);
  expect(await count(alone)).toHaveLength(1);
  alone.close();
  expect(readdirSync(folder)).toEqual(["lineup.db"]);
});

test("calls a file damaged for what it holds alone, not for what keeps it from being read", () => {
  const folder = mkdtempSync(join(tmpdir(), "lineup-read-only-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "limits.db");
  const explain = () => {
    try {
      openReadOnly(file).close();
      return "nothing";
    } catch (error) {
      return explainReading(file, error, "Give it up.").message;
    }
  };
  expect(explain()).toMatch(/cannot be written .*Give this user read and write access/);
  writeFileSync(file, "no database ".repeat(1_000));
  expect(explain()).toBe(`${file} is damaged (file is not a database). Give it up.`);
  const failing = Object.assign(new Error("disk I/O error"), { errcode: 4_874 });
  expect(explainReading(file, failing, "Give it up.").message).not.toMatch(/damaged|Give it up/);
});
