/**
 * The timeline on which a journal's times are written. It starts as wall time and then follows the monotonic clock, so that a jump of the
 * wall clock moves nothing that is already written.
 *
 * A run's first write says how far the timeline is from the monotonic clock, and in which boot of the machine that clock began. A start in the same
 * boot goes on by the same clock, however the last run ended and whatever became of the wall clock meanwhile.
 *
 * After a reboot, on another machine, and on systems other than Linux, only the wall clock can say how long nobody counted. It is believed: one that was
 * set ahead lets requests leave early by so much. One that was set back does not take the timeline back with it: nothing that is written was later
 * than now. For this the file also has the drift, how far the wall clock has moved away from the timeline, as of the last write.
 */
import type Database from "better-sqlite3";
import type { Clock } from "./clock.ts";

/** A drift smaller than this is not worth a write of its own. */
const NOTABLE_DRIFT_MS = 250;

interface TimelineRow {
  readonly driftMs: number;
  readonly bootId: string | null;
  readonly offsetMs: number | null;
}

export class JournalTimeline {
  /** Timeline minus monotonic time: fixed for as long as the journal is open. */
  readonly offsetMs: number;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof prepareStatements>;
  #writtenDriftMs: number;
  #isBootWritten: boolean;

  /** `findNewestMs` tells the latest time in the file. */
  constructor(database: Database.Database, clock: Clock, findNewestMs: () => number) {
    this.#clock = clock;
    this.#statements = prepareStatements(database);
    const { driftMs = 0, bootId = null, offsetMs = null } = this.#statements.read.get() ?? {};
    this.#writtenDriftMs = driftMs;
    this.#isBootWritten = bootId === (clock.bootId ?? null);
    this.offsetMs =
      this.#isBootWritten && offsetMs !== null
        ? offsetMs
        : Math.max(clock.wallMs() - driftMs, findNewestMs()) - clock.monotonicMs();
  }

  /** Wall time minus timeline. */
  driftMs(): number {
    return this.#clock.wallMs() - this.#clock.monotonicMs() - this.offsetMs;
  }

  /** Whether the wall clock has moved so far that the file should know, even if nothing was admitted. */
  hasDrifted(): boolean {
    return Math.abs(this.driftMs() - this.#writtenDriftMs) >= NOTABLE_DRIFT_MS;
  }

  /** Within a transaction. */
  write(driftMs: number): void {
    const { bootId } = this.#clock;
    if (driftMs !== this.#writtenDriftMs) this.#statements.writeDrift.run(driftMs);
    if (!this.#isBootWritten && bootId !== undefined) this.#statements.writeBoot.run(driftMs, bootId, this.offsetMs);
  }

  /** After it was committed. */
  keepWritten(driftMs: number): void {
    this.#writtenDriftMs = driftMs;
    this.#isBootWritten = true;
  }
}

function prepareStatements(database: Database.Database) {
  return {
    read: database.prepare<[], TimelineRow>(
      `SELECT drift_ms AS "driftMs", boot_id AS "bootId", offset_ms AS "offsetMs" FROM timeline`,
    ),
    writeDrift: database.prepare<[number]>(
      "INSERT INTO timeline (id, drift_ms) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET drift_ms = excluded.drift_ms",
    ),
    writeBoot: database.prepare<[number, string, number]>(
      `INSERT INTO timeline (id, drift_ms, boot_id, offset_ms) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET boot_id = excluded.boot_id, offset_ms = excluded.offset_ms`,
    ),
  };
}
