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
import { AdmissionJournal, createKeyAdmissions, type KeyAdmissions } from "./admission-journal.ts";
import { readLastUsed } from "./journal-transfer.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-walk-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NAMES = 6;

/** In wall time, for no clock is set here. */
interface Written {
  times: number[];
  lastUsedAt: number;
}

class Walk {
  readonly #clock = { now: new ManualClock() };
  readonly #model = new Map<string, Written>();
  /** How many keys of each name are gone; one that is new has another id. */
  readonly #gone = new Map<number, number>();
  #file: string;
  #files = 0;
  #journal: AdmissionJournal;
  #keys: Map<string, KeyAdmissions>;
  /** How often there was anything to compact. */
  compacted = 0;

  constructor() {
    this.#file = join(folder, `${performance.now()}.sqlite`);
    this.#journal = new AdmissionJournal(this.#file, this.#clock.now);
    this.#keys = this.#journal.load();
  }

  take(name: number, times: number): void {
    const keyId = this.#idOf(name);
    const key = this.#keys.get(keyId) ?? createKeyAdmissions(keyId);
    this.#keys.set(keyId, key);
    for (let sent = 0; sent < times; sent++) {
      key.ring.advance(this.#clock.now.monotonicMs());
      key.ring.push(this.#clock.now.monotonicMs());
      key.unwritten++;
      this.#clock.now.advance(3);
    }
  }

  wait(ms: number): void {
    this.#clock.now.advance(ms);
  }

  write(max: number): void {
    const changed = [...this.#keys.values()].filter((key) => key.unwritten > 0).slice(0, max);
    this.#journal.write(changed);
    this.#note(changed);
  }

  compact(): void {
    if (this.#journal.compact()) this.compacted++;
  }

  /** A start at which a key is no longer known; another of its name may be used at once. */
  forget(name: number, times: number): void {
    this.#model.delete(this.#idOf(name));
    this.#gone.set(name, (this.#gone.get(name) ?? 0) + 1);
    this.kill(0);
    if (times > 0) this.take(name, times);
  }

  sweep(): void {
    const nowMs = this.#clock.now.monotonicMs();
    const idle = [...this.#keys.values()].filter((key) => key.ring.isIdle(nowMs) && key.unwritten === 0);
    this.#journal.write([], idle);
    for (const key of idle) this.#keys.delete(key.keyId);
  }

  failToWrite(canCompact: boolean): void {
    const intruder = new Database(this.#file);
    intruder.exec("BEGIN IMMEDIATE");
    expect(() => this.write(100)).toThrow(/locked/);
    if (canCompact) expect(() => this.compact()).toThrow(/locked/);
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
    this.#keys = this.#journal.load(this.#listKnown());
  }

  check(): void {
    const expected = new Map([...this.#model].map(([keyId, { lastUsedAt }]) => [keyId, lastUsedAt]));
    const known = this.#listKnown();
    expect(new Map([...readLastUsed(this.#file)].filter(([keyId]) => known.has(keyId)))).toEqual(expected);
    this.kill(0);
    const wallMs = this.#clock.now.wallMs();
    const counting = [...this.#model].map(([keyId, { times }]) => [keyId, times.filter((t) => wallMs - t < DAY_MS)]);
    expect(this.#counted()).toEqual(new Map(counting.filter(([, times]) => times?.length) as [string, number[]][]));
    for (const [keyId, lastUsedAt] of expected) {
      expect(this.#keys.get(keyId)?.lastUsedAt ?? this.#journal.findLastUse(keyId)).toBe(lastUsedAt);
    }
    while (this.#journal.compact());
    expect(new Set([...this.#listSnapshots(), ...this.#keys.keys()])).toEqual(new Set(expected.keys()));
  }

  close(): void {
    this.#journal.close();
  }

  #idOf(name: number): string {
    return `key_${name}_${this.#gone.get(name) ?? 0}`;
  }

  #listKnown(): Set<string> {
    return new Set(Array.from({ length: NAMES }, (_, name) => this.#idOf(name)));
  }

  #listSnapshots(): string[] {
    const database = new Database(this.#file, { readonly: true });
    const keyIds = database.prepare<[], string>("SELECT key_id FROM snapshots").pluck().all();
    database.close();
    return keyIds;
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
  #note(keys: readonly KeyAdmissions[]): void {
    const { now } = this.#clock;
    for (const key of keys) {
      const used = key.ring.newestMs + now.wallMs() - now.monotonicMs();
      const lastUsedAt = Number.isFinite(used) ? used : (this.#model.get(key.keyId)?.lastUsedAt ?? 0);
      this.#model.set(key.keyId, { times: this.#timesOf(key), lastUsedAt });
    }
  }
}

const name = fc.nat(NAMES - 1);
const some = fc.constantFrom(1, 2, 100);
const act = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("take" as const), name, fc.constantFrom(1, 2, 60, 150)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant("write" as const), some) },
  { weight: 4, arbitrary: fc.tuple(fc.constant("compact" as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("forget" as const), name, fc.constantFrom(0, 1, 130)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("sweep" as const)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("kill" as const), fc.constantFrom(0, 5_000, DAY_MS / 2, 2 * DAY_MS)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("check" as const)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("wait" as const), fc.constantFrom(1, 700, DAY_MS / 3, DAY_MS)) },
);

test("loses nothing that was written, and brings nothing back that was forgotten, wherever it ends", () => {
  const numRuns = drillCount("journal-walk", 30, 500);
  let compacted = 0;
  fc.assert(
    fc.property(fc.array(act, { minLength: 5, maxLength: 60, size: "max" }), (acts) => {
      const walk = new Walk();
      try {
        for (const [what, ...how] of acts) (walk[what] as (...how: number[]) => void)(...how);
        walk.check();
        compacted += walk.compacted;
      } finally {
        walk.close();
      }
    }),
    { numRuns },
  );
  expect(compacted).toBeGreaterThan(numRuns);
});

test("loses nothing to writes that fail, of the log and of snapshots", () => {
  const walk = new Walk();
  for (const round of [1, 2, 3]) {
    for (const key of [0, 1, 2]) walk.take(key, 70 * round);
    walk.failToWrite(false);
    walk.write(2);
    walk.failToWrite(true);
    walk.compact();
    walk.check();
  }
  walk.write(100);
  walk.check();
  walk.close();
});
