import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { afterPatience } from "./postgres-connection.ts";

/** Says back what it is told. */
async function startEcho() {
  const echo = spawn("cat");
  onTestFinished(async () => {
    const ended = once(echo, "exit");
    echo.stdin.end();
    await ended;
  });
  echo.stdin.write("hello");
  await once(echo.stdout, "data");
  return echo;
}

test.skipIf(process.platform === "win32")("an answer that came while this process stood still is in time", async () => {
  const echo = await startEcho();
  let isGivenUp = false;
  const endWaiting = afterPatience(50, () => {
    isGivenUp = true;
  });
  const answer = once(echo.stdout, "data").then(endWaiting);
  echo.stdin.write("still there?");
  // After this, timers come before what others have sent.
  await breathe();
  standStill(300);
  await answer;
  await sleep(100);
  expect(isGivenUp).toBe(false);
});

test("who does not answer is given up, and nobody who did in the last moment", async () => {
  const givenUp: string[] = [];
  afterPatience(1_000, () => givenUp.push("early"))();
  const { promise, resolve } = Promise.withResolvers<void>();
  afterPatience(5, () => {
    givenUp.push("silent");
    endLast();
    setImmediate(resolve);
  });
  const endLast = afterPatience(5, () => givenUp.push("in the last moment"));
  // So that both are due at once.
  standStill(50);
  await promise;
  expect(givenUp).toEqual(["silent"]);
});

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
