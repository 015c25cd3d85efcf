import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimDataFolder, joinDataFolder, lockDataFolder, requireStoreIn } from "./data-folder.ts";
import { openSqliteStore } from "./sqlite.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-folder-"));
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Another process that takes the lock and holds it until it is killed. */
async function lockElsewhere(dataDir: string): Promise<ChildProcess> {
  const module = new URL("data-folder.ts", import.meta.url).href;
  const program = `
    const { lockDataFolder } = await import(${JSON.stringify(module)});
    lockDataFolder(${JSON.stringify(dataDir)});
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [output] = await once(child.stdout, "data");
  expect(String(output)).toContain("locked");
  return child;
}

describe("a data folder", () => {
  test("has one server at a time", () => {
    const dataDir = join(folder, "one");
    const lock = lockDataFolder(dataDir);
    expect(() => lockDataFolder(dataDir)).toThrow(new RegExp(`server is running on ${dataDir}.*LINEUP_DATA_DIR`));
    lock.release();
    lockDataFolder(dataDir).release();
  });

  test("is free again as soon as the server's process is gone, however it ended", async () => {
    const dataDir = join(folder, "killed");
    const child = await lockElsewhere(dataDir);
    expect(() => lockDataFolder(dataDir)).toThrow("server is running");
    child.kill("SIGKILL");
    await once(child, "exit");
    lockDataFolder(dataDir).release();
  });

  test("lets commands work together and beside a server, but not beside a restore", () => {
    const dataDir = join(folder, "commands");
    const locks = [lockDataFolder(dataDir), joinDataFolder(dataDir), joinDataFolder(dataDir)];
    for (const lock of locks) lock.release();
    const restore = claimDataFolder(dataDir);
    expect(() => joinDataFolder(dataDir)).toThrow("being restored");
    expect(() => lockDataFolder(dataDir)).toThrow("server is running");
    restore.release();
    joinDataFolder(dataDir).release();
  });

  test("is not claimed while a command is at work, and no lock is left from the attempt", () => {
    const dataDir = join(folder, "claimed");
    const command = joinDataFolder(dataDir);
    expect(() => claimDataFolder(dataDir)).toThrow("Another command is at work");
    lockDataFolder(dataDir).release();
    command.release();
  });

  test("that cannot be made is named with its setting, soon", () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(() => lockDataFolder(join(file, "x"))).toThrow(/LINEUP_DATA_DIR/);
    // Denied there as if the parent were missing.
    if (existsSync("/proc/self")) expect(() => lockDataFolder("/proc/lineup/x")).toThrow(/LINEUP_DATA_DIR/);
  });

  test("without a store is named, with what to do", async () => {
    const dataDir = join(folder, "mistyped");
    expect(() => requireStoreIn(dataDir)).toThrow(new RegExp(`no store in ${dataDir}.*LINEUP_DATA_DIR`));
    const { store } = await openSqliteStore(dataDir);
    await store.close();
    requireStoreIn(dataDir);
  });
});
