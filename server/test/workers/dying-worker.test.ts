/** Workers that die in the middle of their work. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeSelfSigned } from "../hostile/self-signed.ts";
import {
  Caller,
  makeCallers,
  makeDataDir,
  makeKey,
  makeOrg,
  removeDataDir,
  startWithEnds,
  sumOf,
  type WorkerServer,
} from "./worker-server.ts";

const WRITERS = 16;
const ENDS = 4;
const MADE_BETWEEN_ENDS = 60;

let dataDir: string;
let server: WorkerServer;
beforeEach(async () => {
  dataDir = await makeDataDir();
  server = await startWithEnds(3, dataDir);
});
afterEach(async () => {
  await server?.stop();
  await removeDataDir(dataDir);
});

describe("a worker that dies", () => {
  test("takes nothing with it that was answered, and is replaced while the others go on", async () => {
    const orgId = await makeOrg(server, "Enterprise");
    const made = new Map<string, string>();
    const failed: string[] = [];
    let broken = 0;
    let isOver = false;
    const write = async (writer: number) => {
      const { key } = await makeKey(server, orgId);
      let caller = new Caller(server.origin);
      for (let number = 0; !isOver; number++) {
        const ign = `writer ${writer} number ${number}`;
        const answer = await caller
          .call(key, "POST", "/prospects", { ign, role: "Top", game: "LoL" })
          .catch(() => undefined);
        if (answer === undefined) {
          broken++;
          caller.close();
          caller = new Caller(server.origin);
        } else if (answer.status === 201) {
          made.set(answer.body.data.id, ign);
        } else {
          failed.push(answer.body.meta.requestId);
        }
      }
      caller.close();
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    for (let end = 0; end < ENDS; end++) {
      const before = made.size;
      while (made.size < before + MADE_BETWEEN_ENDS) await sleep(10);
      server.endWorker((end % 3) + 1);
      await untilServing(3, end + 1);
    }
    isOver = true;
    await writing;
    expect(broken).toBeGreaterThan(0);
    expect(made.size).toBeGreaterThan(ENDS * MADE_BETWEEN_ENDS);

    const { key } = await makeKey(server, orgId);
    for (const caller of makeCallers(server, 6)) {
      const { body } = await caller.call(key, "GET", "/prospects");
      const shown = new Map(body.data.map((one: { id: string; ign: string }) => [one.id, one.ign]));
      for (const [id, ign] of made) expect(shown.get(id)).toBe(ign);
      // What was under way when a worker died is there or not, and no more of it than connections broke.
      expect(shown.size - made.size).toBeLessThanOrEqual(broken + failed.length);
      caller.close();
    }
    const deaths = server.log().match(/"msg":"a worker died and is replaced/g) ?? [];
    expect(deaths.length).toBe(ENDS);
    // A thread that is ended may still say that something failed, before it can log it; those who live on have failed nobody.
    expect(await server.stop()).toBe(0);
    for (const requestId of failed) expect(server.log()).not.toContain(requestId);
  });

  test("leaves the limits exact, however it died", async () => {
    const orgId = await makeOrg(server, "Pro");
    const { key } = await makeKey(server, orgId);
    const outcomes = { admitted: 0, refused: 0, broken: 0 };
    const ask = async () => {
      let caller = new Caller(server.origin);
      for (let number = 0; number < 30; number++) {
        const answer = await caller.call(key, "GET", "/teams").catch(() => undefined);
        if (answer?.status === 200) outcomes.admitted++;
        else if (answer?.status === 429) outcomes.refused++;
        else {
          outcomes.broken++;
          caller.close();
          caller = new Caller(server.origin);
        }
      }
      caller.close();
    };
    const asking = Promise.all(Array.from({ length: 20 }, ask));
    while (outcomes.admitted < 40) await sleep(2);
    server.endWorker(2);
    await asking;
    // What broke was counted or not, and in no case twice.
    expect(outcomes.admitted).toBeLessThanOrEqual(300);
    expect(outcomes.admitted + outcomes.broken).toBeGreaterThanOrEqual(300);
    expect(outcomes.refused).toBeGreaterThan(0);
    const after = await Promise.all(makeCallers(server, 12).map((caller) => caller.call(key, "GET", "/teams")));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 429));
  });

  test("takes no counter back", async () => {
    const { key } = await makeKey(server, await makeOrg(server, "Enterprise"));
    const callers = makeCallers(server, 12);
    for (const caller of callers) await caller.call(key, "GET", "/teams");
    const counted = async () => sumOf(await new Caller(server.origin).readText("/metrics"), "lineup_requests_total");
    expect(await counted()).toBe(12);
    for (const number of [1, 2, 3]) {
      server.endWorker(number);
      await untilServing(3, number);
      expect(await counted()).toBe(12);
    }
  });

  test("ends the server when no worker is left and none can be started", async () => {
    await server.stop();
    const { cert, key } = makeSelfSigned(300);
    const [certFile, keyFile] = [join(dataDir, "cert.pem"), join(dataDir, "key.pem")];
    await writeFile(certFile, cert);
    await writeFile(keyFile, key);
    server = await startWithEnds(2, dataDir, { LINEUP_TLS_CERT: certFile, LINEUP_TLS_KEY: keyFile });
    // Who serves has read it; who is started from here on cannot.
    await rm(keyFile);
    server.endWorker(1);
    server.endWorker(2);
    expect(await server.exited).toBe(1);
    expect(server.log()).toContain("The workers keep dying as soon as they are started");
    expect(server.log()).toContain("key.pem");
  });
});

/** Asks until so many serve and so many were replaced. */
async function untilServing(serving: number, replaced: number): Promise<void> {
  for (;;) {
    const caller = new Caller(server.origin);
    const metrics = await caller.readText("/metrics").catch(() => "");
    caller.close();
    if (sumOf(metrics, "lineup_workers") === serving && sumOf(metrics, "lineup_workers_replaced_total") >= replaced)
      return;
    await sleep(20);
  }
}
