/**
 * What the engine in the process remembers across restarts, written behind to an SQLite file of its own, because a long import
 * holds the write lock of the main store.
 *
 * The file is a log and, for each key, a snapshot. A log row has what was admitted of any keys since they were last written. A snapshot has
 * all that counted of its key as of one log row, whose number it names, and when the key was last used. A start reads the snapshots, and for each key the
 * log after its snapshot. So the process may end between any two transactions.
 *
 * What always holds: no time in the file is later than the newest log row, and no snapshot names a later one. Rows have consecutive
 * numbers and are removed oldest first, once every key in them has a newer snapshot; the newest stays. Snapshots are written in the order
 * in which the log waits for them, about two bytes for each byte logged. So the log stays in proportion to the snapshots, and a flush to what was
 * admitted, however many keys there are.
 *
 * Times are on a timeline that starts as wall time and then follows the monotonic clock, so that a jump of the wall clock moves nothing
 * that is written. Each log row tells how far the timeline is from the monotonic clock, and in which boot of the machine that clock
 * began: a start in the same boot goes on by the same clock, whatever became of the wall clock meanwhile. After a reboot, on another
 * machine, and on systems other than Linux, only the wall clock can say how long nobody counted. It is believed: one that was set ahead lets
 * requests leave early by so much. One that was set back does not take the timeline back with it: now is not earlier than the newest row.
 *
 * When a write fails (disk full, locked), file and keys are as they were and the caller tries again. A file that cannot be read throws
 * JournalUnreadableError at opening, rather than starting with windows emptied silently.
 */
import { DAY_MS } from "@lineup/api/tiers";
import type Database from "better-sqlite3";
import type { Clock } from "./clock.ts";
import {
  type JournalStatements,
  JournalUnreadableError,
  type LogPosition,
  listGaps,
  openJournalFile,
  prepareStatements,
  readGaps,
  readLog,
} from "./journal-file.ts";
import { AdmissionRing } from "./ring.ts";

/** A drift smaller than this is not worth a write of its own. */
const NOTABLE_DRIFT_MS = 250;
const SNAPSHOT_BYTES_PER_LOGGED = 2;
/** What a row costs beside its text. Log rows lie side by side; of two snapshots, each is in a page of its own. */
const LOG_ROW_COST_BYTES = 64;
const SNAPSHOT_COST_BYTES = 512;
/** Mostly either takes about a millisecond; a snapshot is written whole, and the largest takes several. */
const COMPACTED_AT_ONCE_BYTES = 32 * 1024;
const REMOVED_AT_ONCE_SNAPSHOTS = 256;

/** One key's admissions, as the engine holds them. */
export interface KeyAdmissions {
  readonly keyId: string;
  readonly ring: AdmissionRing;
  /** How many of the newest are not in the file yet; also those that have left the window meanwhile. */
  unwritten: number;
  /** Wall time of the newest that is in the file, by the clock as it was when it was written. */
  lastUsedAt: number;
  /** The first log row that has more of the key than its snapshot, if one does. */
  loggedFrom: number;
}

export function createKeyAdmissions(keyId: string): KeyAdmissions {
  return { keyId, ring: new AdmissionRing(), unwritten: 0, lastUsedAt: 0, loggedFrom: 0 };
}

export class AdmissionJournal {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #database: Database.Database;
  readonly #statements: JournalStatements;
  /** Timeline minus monotonic time: fixed for as long as the journal is open. */
  readonly #offsetMs: number;
  /** Keys of which the log has more than their snapshots, in the order of `loggedFrom`. */
  readonly #logged = new Map<string, KeyAdmissions>();
  /** Keys that no longer exist, of which there still is a snapshot. */
  readonly #gone: string[] = [];
  /** Log rows before this one are removed. */
  #removedTo = 0;
  #newest: LogPosition;
  /** How many bytes of snapshots may be written now; less than 0 after a large one. */
  #credit = 0;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#database = openJournalFile(file);
    this.#statements = this.#orUnreadable(() => prepareStatements(this.#database));
    this.#newest = this.#orUnreadable(() => this.#statements.readNewest.get()) ?? NO_POSITION;
    const { writtenMs, driftMs, bootId, offsetMs } = this.#newest;
    const monotonicMs = clock.monotonicMs();
    const isSameBoot = bootId !== null && bootId === clock.bootId;
    this.#offsetMs = Math.max(isSameBoot ? offsetMs : clock.wallMs() - driftMs - monotonicMs, writtenMs - monotonicMs);
  }

  /**
   * Everything that still counts, of those keys that are known where that is said. Keys of which nothing does, though the file has more of them
   * than the last use, come with an empty ring.
   */
  load(known?: ReadonlySet<string>): Map<string, KeyAdmissions> {
    return this.#orUnreadable(() => {
      const nowMs = this.#clock.monotonicMs();
      const keys = new Map<string, KeyAdmissions>();
      const logIds = this.#loadSnapshots(keys, nowMs, known);
      for (const { logId, keyId, times, lastUsedAt } of readLog(this.#statements, logIds)) {
        if (known?.has(keyId) === false) continue;
        const key = keys.get(keyId) ?? createKeyAdmissions(keyId);
        keys.set(keyId, key);
        this.#restore(key, times, lastUsedAt, nowMs);
        this.#addLogged(key, logId);
      }
      return keys;
    });
  }

  /** Whether the wall clock has moved so far that the file should know, even if nothing was admitted. */
  hasDrifted(): boolean {
    return Math.abs(this.#driftMs() - this.#newest.driftMs) >= NOTABLE_DRIFT_MS;
  }

  /**
   * Appends one row to the log, with what is not written yet of the changed keys; or throws and writes nothing. Of the whole ones, which have
   * nothing unwritten, it writes the snapshots at once. That of a key that is idle has the last use alone.
   */
  write(changed: readonly KeyAdmissions[], whole: readonly KeyAdmissions[] = []): void {
    const nowMs = this.#clock.monotonicMs();
    const driftMs = this.#driftMs();
    for (const { ring } of changed) ring.advance(nowMs);
    const logged = changed.filter(({ unwritten, ring }) => unwritten > 0 && ring.length > 0);
    const snapshots = [...whole, ...changed.filter(({ unwritten, ring }) => unwritten > 0 && ring.length === 0)];
    const row = {
      id: this.#newest.id + 1,
      writtenMs: nowMs + this.#offsetMs,
      driftMs,
      bootId: this.#clock.bootId ?? null,
      offsetMs: this.#offsetMs,
      admissions: JSON.stringify(logged.map((key) => [key.keyId, listUnwritten(key, nowMs)])),
    };
    const lastUseOf = ({ unwritten, ring, lastUsedAt }: KeyAdmissions) =>
      unwritten > 0 ? ring.newestMs + this.#offsetMs + driftMs : lastUsedAt;
    this.#transact(() => {
      this.#statements.insertRow.run(row);
      for (const key of snapshots) this.#writeSnapshot(key, lastUseOf(key), row);
    });
    this.#newest = row;
    this.#credit += SNAPSHOT_BYTES_PER_LOGGED * (row.admissions.length + LOG_ROW_COST_BYTES);
    for (const key of snapshots) this.#logged.delete(key.keyId);
    for (const key of logged) this.#addLogged(key, row.id);
    for (const key of [...snapshots, ...logged]) {
      key.lastUsedAt = lastUseOf(key);
      key.unwritten = 0;
    }
  }

  /**
   * Writes some snapshots, if enough was logged since the last, and removes those of keys that are gone and log rows for which no key waits; says
   * whether there was anything to do. Or throws and does nothing.
   */
  compact(): boolean {
    if (this.#logged.size === 0) this.#credit = Math.min(this.#credit, 0);
    const neededFrom = this.#logged.values().next().value?.loggedFrom ?? this.#newest.id;
    const gone = this.#gone.slice(0, REMOVED_AT_ONCE_SNAPSHOTS);
    if (this.#credit <= 0 && neededFrom <= this.#removedTo && gone.length === 0) return false;
    const budget = Math.min(this.#credit, COMPACTED_AT_ONCE_BYTES);
    const written: string[] = [];
    let spent = 0;
    this.#transact(() => {
      for (const keyId of gone) this.#statements.deleteSnapshot.run(keyId);
      this.#statements.deleteRowsBelow.run(neededFrom);
      for (const key of this.#logged.values()) {
        if (spent >= budget) break;
        spent += this.#writeSnapshot(key, key.lastUsedAt, this.#newest);
        written.push(key.keyId);
      }
    });
    this.#gone.splice(0, gone.length);
    this.#removedTo = neededFrom;
    this.#credit -= spent;
    for (const keyId of written) this.#logged.delete(keyId);
    return true;
  }

  /** As the key's snapshot has it: of one that is in memory, the key itself knows better. */
  findLastUse(keyId: string): number | undefined {
    return this.#statements.readLastUse.get(keyId);
  }

  close(): void {
    this.#database.close();
  }

  #orUnreadable<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      this.#database.close();
      throw new JournalUnreadableError(this.#file, error);
    }
  }

  #transact(write: () => void): void {
    this.#database.transaction(write).immediate();
  }

  /** Wall time minus timeline. */
  #driftMs(): number {
    return this.#clock.wallMs() - this.#clock.monotonicMs() - this.#offsetMs;
  }

  /** Within a transaction: the key as of a log row, so without what is not written yet. Returns what it cost. */
  #writeSnapshot(
    { keyId, ring, unwritten }: KeyAdmissions,
    lastUsedAt: number,
    { id, writtenMs }: LogPosition,
  ): number {
    ring.advance(this.#clock.monotonicMs());
    const gaps = listGaps(ring, 0, ring.length - unwritten, writtenMs - this.#offsetMs);
    const admissions = JSON.stringify(gaps);
    this.#statements.writeSnapshot.run({ keyId, logId: id, writtenMs, lastUsedAt, admissions });
    return admissions.length + SNAPSHOT_COST_BYTES;
  }

  #addLogged(key: KeyAdmissions, logId: number): void {
    if (this.#logged.has(key.keyId)) return;
    key.loggedFrom = logId;
    this.#logged.set(key.keyId, key);
  }

  /** Returns as of which log row each key's snapshot is. */
  #loadSnapshots(
    keys: Map<string, KeyAdmissions>,
    nowMs: number,
    known: ReadonlySet<string> | undefined,
  ): Map<string, number> {
    const logIds = new Map<string, number>();
    for (const { keyId, logId, writtenMs, lastUsedAt, admissions } of this.#statements.readSnapshots.iterate()) {
      if (logId > this.#newest.id || writtenMs > this.#newest.writtenMs) {
        throw new Error(`the snapshot of ${keyId} is later than the log`);
      }
      if (known?.has(keyId) === false) {
        this.#gone.push(keyId);
        continue;
      }
      logIds.set(keyId, logId);
      const times = readGaps(JSON.parse(admissions), writtenMs);
      if (times.length === 0) continue;
      const key = createKeyAdmissions(keyId);
      keys.set(keyId, key);
      this.#restore(key, times, lastUsedAt, nowMs);
    }
    return logIds;
  }

  #restore(key: KeyAdmissions, times: readonly number[], lastUsedAt: number, nowMs: number): void {
    for (const time of times) {
      const timeMs = time - this.#offsetMs;
      if (nowMs - timeMs >= DAY_MS) continue;
      if (timeMs < key.ring.newestMs) throw new Error(`the admissions of ${key.keyId} are not in order`);
      key.ring.push(timeMs);
    }
    key.lastUsedAt = lastUsedAt;
  }
}

const NO_POSITION: LogPosition = { id: 0, writtenMs: 0, driftMs: 0, bootId: null, offsetMs: 0 };

function listUnwritten({ ring, unwritten }: KeyAdmissions, nowMs: number): number[] {
  return listGaps(ring, Math.max(0, ring.length - unwritten), ring.length, nowMs);
}
