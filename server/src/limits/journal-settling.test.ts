/** What the engines let settle, and when; that nothing is lost by it is the walk's matter (journal-walk.drill.ts). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { readLastUsed } from "./journal-last-uses.ts";
import { openMemoryLimiter } from "./memory-limiter.ts";

const HOUR_MS = 3_600_000;

interface Engine {
  take(keyId: string): void;
  remainingOf(keyId: string): number | undefined;
  readLastUsed(keyIds: readonly string[]): Map<string, number>;
  pruneKeys(known: ReadonlySet<string>): void;
  flush(): void;
  settle(): void;
  close(): void;
}

let folder: string;
let file: string;
let clock: ManualClock;
const open: Engine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-settling-"));
  file = join(folder, "limits.sqlite");
  clock = new ManualClock();
});
afterEach(() => {
  for (const engine of open.splice(0)) engine.close();
  rmSync(folder, { recursive: true });
});

const ENGINES: Readonly<Record<string, (options?: { flushEveryMs: number }) => Engine>> = {
  "the engine in the process": (options) => {
    const limiter = openMemoryLimiter({ file, clock, ...options });
    const engine: Engine = {
      take: (keyId) => void limiter.take(keyId, "Enterprise"),
      remainingOf: (keyId) => limiter.peek(keyId, "Enterprise").windows[1]?.remaining,
      readLastUsed: (keyIds) => limiter.readLastUsed(keyIds),
      pruneKeys: (known) => limiter.pruneKeys(known),
      flush: () => limiter.flush(),
      settle: () => limiter.settle(),
      close: () => limiter.close(),
    };
    open.push(engine);
    return engine;
  },
};

function count(table: "admissions" | "passes" | "forgotten" | "last_uses"): number | undefined {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
  database.close();
  return rows;
}

describe.each(Object.entries(ENGINES))("%s", (_, start) => {
  test("appends one row a pass, and settles it a minute later, and not before", () => {
    const engine = start();
    for (let second = 0; second <= 60; second++) {
      for (let key = 0; key < 40; key++) engine.take(`key_${key}`);
      if (second === 60) expect([count("passes"), count("admissions"), count("last_uses")]).toEqual([60, 0, 0]);
      engine.flush();
      clock.advance(1_000);
    }
    expect([count("passes"), count("admissions"), count("last_uses")]).toEqual([0, 40, 40]);
    expect(readLastUsed(file).get("key_7")).toBe(clock.wallMs() - 1_000);
  });

  test("settles sooner where much was admitted, so that the file stays small however long it runs", () => {
    const engine = start();
    let most = 0;
    for (let pass = 0; pass < 400; pass++) {
      for (let key = 0; key < 600; key++) engine.take(`key_of_an_ordinary_length_${key}`);
      engine.flush();
      most = Math.max(most, count("passes") ?? 0);
      clock.advance(100);
    }
    expect(count("admissions")).toBeGreaterThanOrEqual(600);
    expect(most).toBeLessThan((4 * 2 ** 20) / (600 * 30));
  });

  test("by itself, between two passes", async () => {
    const engine = start({ flushEveryMs: 2 });
    for (let key = 0; key < 100; key++) engine.take(`key_${key}`);
    await vi.waitFor(() => expect(count("passes")).toBe(1));
    clock.advance(MINUTE_MS);
    await vi.waitFor(() => expect([count("passes"), count("admissions")]).toEqual([0, 100]));
  });

  test("settles all there is for a stop, whenever that is, and goes on if there is none", () => {
    let engine = start();
    for (let key = 0; key < 40; key++) engine.take(`key_${key}`);
    engine.flush();
    engine.take("key_7");
    engine.settle();
    expect([count("passes"), count("admissions"), count("last_uses")]).toEqual([0, 40, 40]);
    engine.take("key_7");
    engine.settle();
    engine.close();
    expect(count("passes")).toBe(0);
    engine = start();
    expect([engine.remainingOf("key_7"), engine.remainingOf("key_8")]).toEqual([100_000 - 3, 100_000 - 1]);
  });

  test("does not keep a stop from coming when it cannot settle", () => {
    const engine = start();
    engine.take("key_a");
    engine.flush();
    const intruder = new Database(file);
    intruder.exec("CREATE TRIGGER fault BEFORE INSERT ON last_uses BEGIN SELECT raise(ABORT, 'a fault'); END");
    engine.take("key_a");
    engine.settle();
    engine.close();
    intruder.exec("DROP TRIGGER fault");
    intruder.close();
    expect(start().remainingOf("key_a")).toBe(100_000 - 2);
  });

  test("lets go of a key that is idle before it was settled, and keeps its last use", () => {
    const engine = start();
    engine.take("key_a");
    const usedAt = clock.wallMs();
    clock.advance(DAY_MS);
    engine.flush();
    engine.flush();
    expect([count("admissions"), engine.remainingOf("key_a")]).toEqual([0, 100_000]);
    expect(readLastUsed(file)).toEqual(new Map([["key_a", usedAt]]));
    engine.take("key_a");
    engine.close();
    expect(start().remainingOf("key_a")).toBe(99_999);
  });

  test("keeps what was forgotten out of the file, and remembers that only as long as it must", () => {
    const engine = start();
    for (const keyId of ["key_a", "key_b"]) engine.take(keyId);
    engine.flush();
    engine.pruneKeys(new Set(["key_b"]));
    engine.flush();
    expect([...readLastUsed(file).keys()]).toEqual(["key_b"]);
    expect(count("forgotten")).toBe(1);
    clock.advance(MINUTE_MS);
    engine.flush();
    expect([count("forgotten"), count("passes"), count("admissions")]).toEqual([0, 0, 1]);
  });

  test("shows the last use of a run before, by the clock of that run, settled or not", () => {
    let engine = start();
    engine.take("key_a");
    const usedAt = clock.wallMs();
    engine.close();
    clock = new ManualClock(clock.wallMs() + 5_000, 3);
    engine = start();
    clock.jumpWall(30_000);
    expect(engine.readLastUsed(["key_a"])).toEqual(new Map([["key_a", usedAt]]));
    clock.advance(MINUTE_MS);
    for (let flushed = 0; flushed < 2; flushed++) engine.flush();
    expect(engine.readLastUsed(["key_a"])).toEqual(new Map([["key_a", usedAt]]));
    expect(readLastUsed(file)).toEqual(new Map([["key_a", usedAt]]));
  });

  test("does not count again what had left the window before it could be written, whatever the clock says later", () => {
    const engine = start();
    for (let sent = 0; sent < 5; sent++) engine.take("key_a");
    engine.flush();
    const intruder = new Database(file);
    intruder.exec("BEGIN IMMEDIATE");
    for (let sent = 0; sent < 5; sent++) engine.take("key_a");
    expect(() => engine.flush()).toThrow(/locked/);
    clock.advance(DAY_MS);
    for (let sent = 0; sent < 3; sent++) engine.take("key_a");
    intruder.exec("ROLLBACK");
    intruder.close();
    engine.close();
    expect(count("passes")).toBe(2);
    clock = new ManualClock(clock.wallMs() - 2 * DAY_MS, 3);
    expect(start().remainingOf("key_a")).toBe(100_000 - 3);
  });

  test("loses nothing where it cannot be settled, and settles it when it can", () => {
    const engine = start();
    for (let key = 0; key < 50; key++) engine.take(`key_${key}`);
    engine.flush();
    clock.advance(MINUTE_MS);
    engine.take("key_7");
    const intruder = new Database(file);
    intruder.exec(`CREATE TRIGGER fault BEFORE INSERT ON last_uses WHEN new.key_id = 'key_9'
                   BEGIN SELECT raise(ABORT, 'a fault'); END`);
    for (let tried = 0; tried < 2; tried++) expect(() => engine.flush()).toThrow("a fault");
    expect([count("passes"), count("admissions"), readLastUsed(file).get("key_7")]).toEqual([2, 0, clock.wallMs()]);
    intruder.exec("DROP TRIGGER fault");
    intruder.close();
    engine.flush();
    expect([count("passes"), count("admissions"), count("last_uses")]).toEqual([0, 50, 50]);
    expect(readLastUsed(file).get("key_7")).toBe(clock.wallMs());
  });

  test("keeps to what it made of times from the future, also when passes had them", () => {
    let engine = start();
    for (let sent = 0; sent < 200; sent++) engine.take("key_a");
    engine.close();
    clock = new ManualClock(clock.wallMs() - 10 * HOUR_MS, 3);
    engine = start();
    engine.take("key_a");
    engine.close();
    clock = new ManualClock(clock.wallMs() + DAY_MS - 1, 3);
    engine = start();
    expect(engine.remainingOf("key_a")).toBe(100_000 - 201);
    engine.close();
    clock = new ManualClock(clock.wallMs() + 1, 3);
    expect(start().remainingOf("key_a")).toBe(100_000);
  });
});
