/** A server whose secret is not the one that the audit log was sealed with so far says so as it starts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeOrg, startTestServer } from "../test-server.ts";
import { dropTestStore } from "../test-store.ts";

it("warns once where another secret has sealed the log, and not where it is new or has sealed it too", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-test-"));
  onTestFinished(async () => {
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const warnings: number[] = [];
  for (const letter of ["a", "a", "b", "b", "a"]) {
    const server = await startTestServer({ dataDir, config: { secret: letter.repeat(32) } });
    await makeOrg(server);
    await server.stop();
    warnings.push(server.logged().split("sealed with another LINEUP_SECRET").length - 1);
  }
  expect(warnings).toEqual([0, 0, 1, 0, 0]);
});

it("says which file to put back where a data folder has come without its secret", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-test-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const embedded = { dataDir, config: { databaseUrl: undefined, secret: undefined } };
  const file = join(dataDir, "secret");
  const start = async () => {
    const server = await startTestServer(embedded);
    await makeOrg(server);
    await server.stop();
    return server.logged().includes(`secret that belongs to this store is missing: the one in ${file}`);
  };
  const said = [await start()];
  await rm(file);
  expect([...said, await start(), await start()]).toEqual([false, true, false]);
});
