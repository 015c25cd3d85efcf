import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import { findWorkerFault, readWorkerCount, WORKERS_MAX } from "./worker-count.ts";

describe("the number of workers", () => {
  test("is a whole number, or one a core", () => {
    expect(["1", "2", String(WORKERS_MAX)].map(readWorkerCount)).toEqual([1, 2, WORKERS_MAX]);
    expect(["auto", "AUTO"].map(readWorkerCount)).toEqual(Array(2).fill(Math.min(availableParallelism(), WORKERS_MAX)));
    expect(["", "0", "65", "1e1", " 2", "-1"].map(readWorkerCount)).toEqual(Array(6).fill(undefined));
  });

  test("is refused beyond one where no port can be shared, with what to do instead", () => {
    expect(findWorkerFault("2", "linux")).toBeUndefined();
    expect(findWorkerFault("1", "win32")).toBeUndefined();
    expect(findWorkerFault("2", "darwin")).toContain("Use 1, or run several servers behind a balancer");
  });
});
