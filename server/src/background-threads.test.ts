import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** By the name of each thread of a process, its priority, before and after. */
const LOOK = `
  import { readdirSync, readFileSync } from "node:fs";
  import { getPriority } from "node:os";
  import { lowerBackgroundThreads } from "${fileURLToPath(new URL("background-threads.ts", import.meta.url))}";
  const look = () => readdirSync("/proc/self/task").map((thread) => [
    readFileSync("/proc/self/task/" + thread + "/comm", "utf8").trim(), getPriority(Number(thread)),
  ]);
  const before = look();
  lowerBackgroundThreads();
  console.log(JSON.stringify({ before, after: look() }));
`;

test.runIf(process.platform === "linux")("what V8 does beside serving comes after it, and nothing else does", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", LOOK], { encoding: "utf8" });
  const { before, after } = JSON.parse(output) as Record<"before" | "after", [string, number][]>;
  const own = before[0]?.[1] ?? 0;
  expect(before.every(([, priority]) => priority === own)).toBe(true);
  const [workers, others] = [true, false].map((isWorker) =>
    after.filter(([name]) => /V8Worker/.test(name) === isWorker),
  );
  expect(workers?.length).toBeGreaterThan(0);
  expect(workers?.every(([, priority]) => priority === 14)).toBe(true);
  expect(others?.length).toBeGreaterThan(0);
  expect(others?.every(([, priority]) => priority === own)).toBe(true);
});

const LOWER_THIS = `
  import { getPriority } from "node:os";
  import { lowerThisThread } from "${fileURLToPath(new URL("background-threads.ts", import.meta.url))}";
  const before = getPriority(0);
  lowerThisThread();
  console.log(JSON.stringify([before, getPriority(0)]));
`;

test.runIf(process.platform === "linux").each([
  { given: 0, after: 10 },
  { given: 10, after: 10 },
  // Nobody but root may raise it again, and nobody wants to.
  { given: 15, after: 15 },
])("a thread that was given $given works at $after, and never fails for it", ({ given, after }) => {
  const node = [process.execPath, "--input-type=module", "--eval", LOWER_THIS];
  const output = execFileSync("nice", ["-n", String(given), ...node], { encoding: "utf8" });
  const [before, now] = JSON.parse(output) as [number, number];
  // Where these tests were started with a priority of their own, it comes on top.
  expect(now).toBe(Math.max(before, after));
});
