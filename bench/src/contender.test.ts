import { execFile } from "node:child_process";
import { devNull } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { isRunning } from "../../server/test/services/process-family.ts";
import { Contender } from "./contender.ts";

const BARE = { name: "bare", script: "bare-server.ts", core: undefined, logFile: devNull };

test.skipIf(process.platform === "win32")("who is halted does nothing until it may go on", async () => {
  const contender = new Contender(BARE);
  onTestFinished(() => contender.stop());
  await contender.halt();
  const usage = contender.usage().then(() => "answered");
  expect(await Promise.race([usage, sleep(300, "silent")])).toBe("silent");
  contender.goOn();
  expect(await usage).toBe("answered");
});

test.skipIf(process.platform === "win32").each(["process.exit()", 'process.kill(process.pid, "SIGKILL")'])(
  "who is halted ends all the same when the bench does, by %s",
  async (ending) => {
    const bench = `
      import { writeSync } from "node:fs";
      import { Contender } from ${JSON.stringify(new URL("contender.ts", import.meta.url).href)};
      const contender = new Contender(${JSON.stringify(BARE)});
      await contender.halt();
      writeSync(1, String(contender.pid));
      ${ending};`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", bench]);
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    onTestFinished(async () => {
      if (await isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    await expect.poll(() => isRunning(pid)).toBe(false);
  },
);

/** However it ends. */
function run(command: string, args: readonly string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(command, args).catch((error: { stdout: string }) => error);
}
