import { describe, expect, test } from "vitest";
import { startProgress } from "./progress.ts";

function watch(isTTY: boolean, columns = 120) {
  const written: string[] = [];
  let now = 0;
  const progress = startProgress("Importing", { isTTY, columns, write: (text) => written.push(text) }, () => now);
  const at = (ms: number, work: () => void) => {
    now = ms;
    work();
  };
  return { written, progress, at };
}

describe("progress", () => {
  test("of work that is over soon is not shown", () => {
    for (const isTTY of [true, false]) {
      const { written, progress, at } = watch(isTTY);
      at(400, () => progress.update(9, 10));
      progress.end();
      expect(written).toEqual([]);
    }
  });

  test("is a bar on a terminal, which is gone at the end", () => {
    const { written, progress, at } = watch(true);
    at(600, () => progress.update(500, 1_000, "writing rows"));
    at(620, () => progress.update(600, 1_000, "writing rows"));
    at(700, () => progress.update(1_000, 1_000, "writing rows"));
    progress.end();
    expect(written).toHaveLength(3);
    expect(written[0]).toContain(`[${"█".repeat(15)}${"░".repeat(15)}] Importing: writing rows … 50 % (500 of 1,000)`);
    expect(written[1]).toContain(`${"█".repeat(30)}]`);
    expect(written[2]).toBe("\r\u001b[K");
  });

  test("takes a terminal that does not know how wide it is for one of the usual width", () => {
    const [unknown, usual] = [0, 80].map((columns) => {
      const { written, progress, at } = watch(true, columns);
      at(600, () => progress.update(500, 1_000, "rows"));
      return written;
    });
    expect(unknown).toEqual(usual);
  });

  test("never wraps, because a wrapped line cannot be drawn over", () => {
    for (const columns of [20, 60, 80, 200]) {
      const { written, progress, at } = watch(true, columns);
      at(600, () => progress.update(59_000, 60_000, "writing rows"));
      expect(written[0]?.replace("\r\u001b[K", "").length).toBeLessThan(columns);
    }
  });

  test("is a plain line every five seconds elsewhere", () => {
    const { written, progress, at } = watch(false);
    for (let ms = 0; ms <= 12_000; ms += 100) at(ms, () => progress.update(ms, 0));
    progress.end();
    expect(written).toEqual(["Importing … 5,000\n", "Importing … 10,000\n"]);
  });
});
