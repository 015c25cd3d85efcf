/** Decision 0003: what the server trusts for a millisecond, writers of other processes wait for. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { createOrganization } from "../access/organizations.ts";
import { STORE_FILE } from "./data-folder.ts";
import { openSqliteStore } from "./sqlite.ts";
import { SqliteRevisions, untilSeen, VERSION_GOOD_FOR_MS } from "./sqlite-revisions.ts";

function spendMs(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("the version of the embedded store", () => {
  test("is asked for again when it is no longer to be trusted, and after a write of its own at once", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "lineup-version-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    await (await openSqliteStore(dataDir)).store.close();
    const [writer, reader] = [new Sqlite(join(dataDir, STORE_FILE)), new Sqlite(join(dataDir, STORE_FILE))];
    const write = () => writer.exec("UPDATE settings SET value = value + 1");
    const revisions = new SqliteRevisions(reader);
    for (let round = 1; round <= 20; round++) {
      const before = revisions.recentVersion();
      write();
      spendMs(VERSION_GOOD_FOR_MS * 1.01);
      const after = revisions.recentVersion();
      expect(after).not.toBe(before);
      write();
      revisions.noteOwnWrite();
      expect(revisions.recentVersion()).not.toBe(after);
    }
    for (const connection of [reader, writer]) connection.close();
  });

  test("is waited for longer by those who write from elsewhere than it is trusted", async () => {
    for (let round = 0; round < 20; round++) {
      const before = performance.now();
      // The event loop's own clock stands still meanwhile, as it does in a commit that takes long.
      spendMs(5);
      const committedAt = performance.now();
      await untilSeen();
      expect(performance.now() - committedAt).toBeGreaterThan(VERSION_GOOD_FOR_MS);
      expect(committedAt).toBeGreaterThan(before);
    }
  });

  test("is trusted by a server no longer than a command takes to say that it has written", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "lineup-version-"));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const { store: server } = await openSqliteStore(dataDir, { isServer: true });
    const { store: command } = await openSqliteStore(dataDir);
    try {
      for (let round = 0; round < 50; round++) {
        // Asked just before, so that it is trusted for as long as may be.
        const before = server.recentVersion();
        await createOrganization(command, { name: `From elsewhere ${round}`, tier: "Free" }, TEST_ORIGIN, round);
        expect(server.recentVersion()).not.toBe(before);
      }
    } finally {
      await command.close();
      await server.close();
    }
  });
});
