/** The journal against a model of what must be in its file, over any order of all it does, with an end at any moment. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { drillCount } from "../../test/drill-count.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { AdmissionJournal } from "./admission-journal.ts";
import { readLastUsed } from "./journal-last-uses.ts";
import { createKeyAdmissions, type KeyAdmissions } from "./key-admissions.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-walk-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** In wall time, for no clock is set here. */
interface Kept {
  times: number[];
  lastUsedAt: number;
}

class Walk {
  readonly #clock = { now: new ManualClock() };
  readonly #model = new Map<string, Kept>();
  #file: string;
  #files = 0;
  #journal: AdmissionJournal;
  #keys: Map<string, KeyAdmissions>;
  /** What was unsettled when settling began. */
  #settling: KeyAdmissions[] = [];

  constructor() {
    this.#file = join(folder, `${performance.now()}.sqlite`);
    this.#journal = new AdmissionJournal(this.#file, this.#clock.now);
    this.#keys = this.#journal.load();
  }

  take(name: number, times: number): void {
    const keyId = `key_${name}`;
    const key = this.#keys.get(keyId) ?? createKeyAdmissions(keyId);
    this.#keys.set(keyId, key);
    for (let sent = 0; sent < times; sent++) {
      key.ring.advance(this.#clock.now.monotonicMs());
      key.ring.push(this.#clock.now.monotonicMs());
      key.nextNumber++;
      this.#clock.now.advance(3);
    }
  }

  wait(ms: number): void {
    this.#clock.now.advance(ms);
  }

  pass(max: number): void {
    const changed = [...this.#keys.values()].filter((key) => key.writtenTo < key.nextNumber).slice(0, max);
    this.#journal.write({ changed, idle: [], forgotten: [] });
    this.#keep(changed);
  }

  settle(max: number): void {
    if (!this.#journal.isSettling) {
      this.#journal.beginSettling();
      this.#settling = this.#unsettled();
    }
    const keys = this.#leftToSettle().slice(0, max);
    this.#journal.settle(keys);
    this.#keep(keys);
    if (this.#leftToSettle().length === 0) this.#journal.removePasses();
  }

  /** And it may come back at once. */
  forget(name: number, times: number): void {
    const keyId = `key_${name}`;
    this.#keys.delete(keyId);
    this.#model.delete(keyId);
    if (times > 0) this.take(name, times);
    const changed = [...this.#keys.values()].filter((key) => key.keyId === keyId);
    this.#journal.write({ changed, idle: [], forgotten: [keyId] });
    this.#keep(changed);
  }

  sweep(): void {
    const nowMs = this.#clock.now.monotonicMs();
    const idle = [...this.#keys.values()].filter((key) => key.ring.isIdle(nowMs) && key.writtenTo === key.nextNumber);
    this.#journal.write({ changed: [], idle, forgotten: [] });
    for (const key of idle) this.#keys.delete(key.keyId);
  }

  failToWrite(): void {
    const intruder = new Database(this.#file);
    intruder.exec("BEGIN IMMEDIATE");
    expect(() => this.pass(100)).toThrow(/locked/);
    expect(() => this.settle(100)).toThrow(/locked/);
    intruder.exec("ROLLBACK");
    intruder.close();
  }

  /** Ends without a word, and begins with what is in the file. */
  kill(awayMs: number): void {
    const copy = join(folder, `${this.#file}-${this.#files++}`);
    for (const end of ["", "-wal"]) cpSync(this.#file + end, copy + end);
    this.#journal.close();
    this.#file = copy;
    this.#clock.now = new ManualClock(this.#clock.now.wallMs() + awayMs, 100 + this.#files);
    this.#journal = new AdmissionJournal(copy, this.#clock.now);
    this.#keys = this.#journal.load();
  }

  check(): void {
    const expected = new Map([...this.#model].map(([keyId, { lastUsedAt }]) => [keyId, lastUsedAt]));
    expect(readLastUsed(this.#file)).toEqual(expected);
    this.kill(0);
    const wallMs = this.#clock.now.wallMs();
    const counting = [...this.#model].map(([keyId, { times }]) => [keyId, times.filter((t) => wallMs - t < DAY_MS)]);
    expect(this.#counted()).toEqual(new Map(counting.filter(([, times]) => times?.length) as [string, number[]][]));
    for (const [keyId, lastUsedAt] of expected) {
      expect(this.#journal.findLastUse(keyId, this.#keys.get(keyId))).toBe(lastUsedAt);
    }
    const listed = new Set([...this.#journal.listKeysWithLastUse()]);
    expect(listed).toEqual(new Set(expected.keys()));
  }

  close(): void {
    this.#journal.close();
  }

  #unsettled(): KeyAdmissions[] {
    return [...this.#keys.values()].filter((key) => key.settledTo < key.writtenTo);
  }

  #leftToSettle(): KeyAdmissions[] {
    const unsettled = new Set(this.#unsettled());
    return this.#settling.filter((key) => unsettled.has(key));
  }

  #timesOf({ ring }: KeyAdmissions): number[] {
    const nowMs = this.#clock.now.monotonicMs();
    ring.advance(nowMs);
    return Array.from({ length: ring.length }, (_, index) => this.#clock.now.wallMs() - ring.ageMs(index, nowMs));
  }

  #counted(): Map<string, number[]> {
    const all = [...this.#keys].map(([keyId, key]): [string, number[]] => [keyId, this.#timesOf(key)]);
    return new Map(all.filter(([, times]) => times.length > 0).sort());
  }

  /** All that was admitted of these is in the file. */
  #keep(keys: readonly KeyAdmissions[]): void {
    const { now } = this.#clock;
    for (const key of keys) {
      const used = key.ring.newestMs + now.wallMs() - now.monotonicMs();
      const lastUsedAt = Number.isFinite(used) ? used : (this.#model.get(key.keyId)?.lastUsedAt ?? 0);
      this.#model.set(key.keyId, { times: this.#timesOf(key), lastUsedAt });
    }
  }
}

const name = fc.nat(5);
const some = fc.constantFrom(1, 2, 100);
const act = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("take" as const), name, fc.constantFrom(1, 2, 60, 150)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant("pass" as const), some) },
  { weight: 4, arbitrary: fc.tuple(fc.constant("settle" as const), some) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("forget" as const), name, fc.constantFrom(0, 1, 130)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("sweep" as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("kill" as const), fc.constantFrom(0, 5_000, DAY_MS / 2, 2 * DAY_MS)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("check" as const)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("wait" as const), fc.constantFrom(1, 700, DAY_MS / 3, DAY_MS)) },
);

test("loses nothing that was written, and brings nothing back that was forgotten, wherever it ends", () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 5, maxLength: 60 }), (acts) => {
      const walk = new Walk();
      try {
        for (const [what, ...how] of acts) (walk[what] as (...how: number[]) => void)(...how);
        walk.check();
      } finally {
        walk.close();
      }
    }),
    { numRuns: drillCount("journal-walk", 30, 500) },
  );
});

test("loses nothing to writes that fail, in the midst of settling too", () => {
  const walk = new Walk();
  for (const round of [1, 2, 3]) {
    for (const key of [0, 1, 2]) walk.take(key, 70 * round);
    walk.failToWrite();
    walk.pass(2);
    walk.settle(1);
    walk.failToWrite();
    walk.check();
  }
  walk.pass(100);
  walk.check();
  walk.close();
});
