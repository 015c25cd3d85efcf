import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("the system's monotonic time is whole and never decreases", () => {
  let before = systemClock.monotonicMs();
  for (let reading = 0; reading < 10_000; reading++) {
    const now = systemClock.monotonicMs();
    expect(Number.isInteger(now) && now >= before).toBe(true);
    before = now;
  }
});

test("the system's wall time is whole, never behind the machine's clock and at most a millisecond ahead", () => {
  for (let reading = 0; reading < 10_000; reading++) {
    const before = Date.now();
    const wallMs = systemClock.wallMs();
    expect(Number.isInteger(wallMs) && wallMs >= before && wallMs <= Date.now() + 1).toBe(true);
  }
});

test("the system's monotonic time is the same in every thread", async () => {
  const script = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("./clock.ts", import.meta.url).href)}).then(({ systemClock }) => {
      parentPort.on("message", () => parentPort.postMessage(systemClock.monotonicMs()));
      parentPort.postMessage("ready");
    });`;
  // Not from the start, or a clock that begins with its thread would go unnoticed.
  while (systemClock.monotonicMs() < 100) await new Promise((resolve) => setTimeout(resolve, 10));
  const worker = new Worker(script, { eval: true });
  try {
    await once(worker, "message");
    for (let reading = 0; reading < 100; reading++) {
      const before = systemClock.monotonicMs();
      worker.postMessage("read");
      const [there] = await once(worker, "message");
      expect(there).toBeGreaterThanOrEqual(before);
      expect(there).toBeLessThanOrEqual(systemClock.monotonicMs());
    }
  } finally {
    await worker.terminate();
  }
});

test("the system's monotonic time is the same in every process that names the same boot", () => {
  const module = JSON.stringify(new URL("./clock.ts", import.meta.url).href);
  const program = `const { systemClock: { bootId, monotonicMs } } = await import(${module});
    console.log(JSON.stringify([bootId, monotonicMs()]));`;
  const before = systemClock.monotonicMs();
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  const [bootId, there] = JSON.parse(printed);
  expect(bootId).toBe(systemClock.bootId ?? null);
  // Other systems do not tell.
  if (process.platform !== "linux") return;
  expect(bootId).not.toBeNull();
  expect(there).toBeGreaterThanOrEqual(before);
  expect(there).toBeLessThanOrEqual(systemClock.monotonicMs());
});
