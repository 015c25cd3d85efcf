import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRESS_TYPE } from "@lineup/api/dashboard/action";
import { expect, test } from "vitest";
import { createOrganization } from "../../src/access/organizations.ts";
import { makeLink } from "../../src/identity/links.ts";
import { putMember } from "../../src/identity/members.ts";
import { insertUser } from "../../src/identity/users.ts";
import { drillCount, SEED } from "../drill-count.ts";
import { type ServerProcess, startServerProcess } from "../durability/server-process.ts";
import { Random } from "../stale/random.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { dropTestStore, openTestStore, runSql } from "../test-store.ts";
import { type SentFile, sendText } from "./random-season.ts";
import { Visitor } from "./visitor.ts";

const ROUNDS = drillCount("import-kills", 2, 8);
const ROWS = 3_000;

/** Begins an import, and ends the server somewhere in the middle of its writing. */
async function killWhileWriting(
  server: ServerProcess,
  visitor: Visitor,
  orgId: string,
  body: { readonly files: readonly SentFile[]; readonly fingerprint: string | null },
  at: number,
): Promise<void> {
  const { origin } = server;
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { origin, cookie, accept: PROGRESS_TYPE, "content-type": "application/json" };
  const url = `${origin}/internal/orgs/${orgId}/import`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  let heard = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += piece;
    const steps = [...heard.matchAll(/"phase":"writing","done":(\d+)/g)];
    if (steps.some(([, done]) => Number(done) >= at * ROWS)) break;
  }
  expect(heard).toContain('"writing"');
  await server.kill();
}

test(`${ROUNDS} kills in the middle of an import: all of its rows are there afterwards, or none`, async () => {
  const random = new Random(SEED);
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-import-kills-"));
  try {
    const store = await openTestStore(dataDir);
    const { id: orgId } = await createOrganization(store, { name: "Killed" }, TEST_ORIGIN);
    const { token } = await store.writePeople(TEST_ORIGIN, async (operator, recording) => {
      const facts = { name: "Kim", email: "kim@example.com", isOperator: false };
      const user = await insertUser(operator, facts, Date.now());
      await putMember(operator, recording, { orgId, user, role: "manager" }, Date.now());
      return makeLink(operator, { kind: "sign-in", userId: user.id, createdBy: "test" }, Date.now());
    });
    let server = await startServerProcess(dataDir);
    const visitor = new Visitor({
      store,
      get origin() {
        return server.origin;
      },
    });
    await visitor.do("signInByLink", { body: { token } });
    await store.close();
    let expected = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const rows = Array.from({ length: ROWS }, (_, n) => `r${round}-${n},Ign ${n},Player`);
      const files = [sendText("players.csv", `externalId,ign,role\n${rows.join("\n")}\n`)];
      const { fingerprint } = await visitor.do("previewImport", { path: { orgId }, body: { files } });
      await killWhileWriting(server, visitor, orgId, { files, fingerprint }, random.next());
      const [found] = await runSql(dataDir, "SELECT count(*) AS n FROM players WHERE org_id = ?", orgId);
      const count = Number(found?.n);
      expect([expected, expected + ROWS]).toContain(count);
      expected = count;
      server = await startServerProcess(dataDir);
    }
    const files = [sendText("players.csv", "externalId,ign,role\nlast,Last,Player\n")];
    const { fingerprint } = await visitor.do("previewImport", { path: { orgId }, body: { files } });
    await visitor.do("applyImport", { path: { orgId }, body: { files, fingerprint } });
    await server.kill();
  } finally {
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
});
