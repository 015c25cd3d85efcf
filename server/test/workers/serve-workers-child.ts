/**
 * A server of several workers as a process of its own, for tests in which a worker dies. A line `end 2` on standard input ends that
 * worker's thread, wherever it is in its work.
 */
import { createInterface } from "node:readline";
import type { Worker } from "node:worker_threads";
import { readConfig } from "../../src/config.ts";
import { startWorkers } from "../../src/workers/start-workers.ts";

const threads = new Map<number, Worker>();
const running = await startWorkers(readConfig(process.env), {
  onThread: (thread, number) => threads.set(number, thread),
});
process.once("SIGTERM", () => {
  running.stop().then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
running.failed.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
process.stdout.write(`${running.address}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, number = ""] = line.split(" ");
  if (word === "end") void threads.get(Number(number))?.terminate();
}
