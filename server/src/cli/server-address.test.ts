import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config.ts";
import { lockDataFolder } from "../store/data-folder.ts";
import { findServerAddress, writeServerAddress } from "./server-address.ts";

const ADDRESS = { origin: "http://127.0.0.1:4555", site: "https://lineup.example.com" };

/** What a server that lives in another process has written down; here that is the one that runs the tests. */
function running() {
  const dataDir = mkdtempSync(join(tmpdir(), "lineup-address-"));
  const config = readConfig({ LINEUP_DATA_DIR: dataDir });
  const lock = lockDataFolder(dataDir);
  onTestFinished(() => {
    lock.release();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const file = join(dataDir, "server.json");
  const remove = writeServerAddress(config, ADDRESS);
  const change = (changes: object) =>
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...changes }));
  change({ pid: process.ppid });
  return { config, file, lock, remove, change };
}

describe("the address of a running server", () => {
  test("is found for as long as the server has its folder, and is nobody else's to read", () => {
    const { config, file, lock } = running();
    expect(findServerAddress(config)).toEqual(ADDRESS);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    lock.release();
    expect(findServerAddress(config)).toBeUndefined();
  });

  test("is gone when the server takes it back", () => {
    const { config, remove } = running();
    remove();
    remove();
    expect(findServerAddress(config)).toBeUndefined();
  });

  test.each<[string, object]>([
    ["of a process that has ended", { pid: 2 ** 30 }],
    ["of this process, which is no server", { pid: process.pid }],
    ["of a server on another store", { store: "PostgreSQL at db:5432, database lineup" }],
    ["that is none", { origin: "nowhere" }],
    ["with a pid that is none", { pid: -1 }],
  ])("is not believed where it is one %s", (_, changes) => {
    const { config, change } = running();
    change(changes);
    expect(findServerAddress(config)).toBeUndefined();
  });

  test("is not believed where it cannot be read", () => {
    const { config, file } = running();
    writeFileSync(file, "{");
    expect(findServerAddress(config)).toBeUndefined();
  });

  test("is not written by servers that may share a folder", () => {
    const dataDir = mkdtempSync(join(tmpdir(), "lineup-address-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const shared = { LINEUP_DATABASE_URL: "postgres://db/lineup", LINEUP_REDIS_URL: "redis://cache" };
    writeServerAddress(readConfig({ LINEUP_DATA_DIR: dataDir, ...shared }), ADDRESS);
    expect(() => statSync(join(dataDir, "server.json"))).toThrow("ENOENT");
  });
});
