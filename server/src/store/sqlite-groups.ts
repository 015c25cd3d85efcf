/**
 * Group commit: who wants to write while others do shares their transaction, and so their wait for the disk, which takes as long for many
 * as for one. Those who came in one turn of the event loop are the members of a group: one `BEGIN IMMEDIATE`, then the work of one member
 * after the other, then one `COMMIT`.
 *
 * What always holds:
 * - Members never interleave: the next begins when the one before has ended. Who fails has written nothing, as nearly always, or is undone
 *   before anybody else has seen what it wrote: the group is given up then and run again, each member in a savepoint of its own. With
 *   savepoints a group takes a fifth longer, so it has them only when they are known to be needed. The work of a member may therefore
 *   run again, and does nothing but ask the store.
 * - A member sees what those before it have written, as it would had they committed. They are kept or lost together, so nothing is
 *   kept that rests on something that is not.
 * - Nobody is told anything before the commit: not that its work is done, and not that it was refused either, for the reason may be what
 *   another member wrote. Where the commit fails, or SQLite gives the whole transaction up, all members fail.
 * - A group is bounded, in members and in time. Work that lets the event loop turn closes its group to newcomers. Who is known to take
 *   long says so, and has a transaction to itself.
 *
 * The lock is waited for between other work, never inside SQLite. Whoever waits too long, for others of this process or another, is refused.
 */
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import type { Database } from "./schema.ts";
import { ChainsOfGroup } from "./sqlite-audit.ts";
import { handleOn, LentConnection, PreparedConnection } from "./sqlite-connection.ts";
import { isBusy } from "./sqlite-driver.ts";
import type { Work } from "./store.ts";

/** How long a transaction waits for its turn and for other processes, such as a long import, before it is given up. */
const PATIENCE_MS = 30_000;
const WAITING_MAX = 1_000;
const MEMBERS_MAX = 64;
/** After so long no further member begins; the disk comes on top. */
const GROUP_MS = 25;

/**
 * `grouped` work waits for nothing but the store, and shares its transaction with others of its kind. Work that goes `alone` may take its
 * time. What is written `soon` goes alone too, and is not on the disk when it ends, but when the next other one does.
 */
export type Company = "grouped" | "alone" | "soon";

export interface WriteGroupsOptions {
  /** A transaction has ended, well or badly, and nobody was told yet. */
  onEnd(): void;
  /** For tests that cannot wait that long. */
  readonly patienceMs?: number;
  /** For tests on a machine of which nobody knows how busy it is. */
  readonly groupMs?: number;
}

interface Member {
  readonly company: Company;
  readonly deadline: number;
  readonly work: Work<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class WriteGroups {
  readonly #sqlite: SqliteConnection;
  readonly #connection: PreparedConnection;
  readonly #onEnd: () => void;
  readonly #patienceMs: number;
  readonly #groupMs: number;
  readonly #statements: Readonly<Record<"begin" | "save" | "keep" | "undo" | "commit", Statement>>;
  readonly #waiting: Member[] = [];
  /** Those of the transaction under way. */
  #members: Member[] = [];
  readonly #pragmas = new Map<string, string>();
  /** A group was given up, and one of those who wait has something that has to be undone by itself. */
  #hasToUndo = false;
  #isRunning = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(sqlite: SqliteConnection, options: WriteGroupsOptions) {
    const { onEnd, patienceMs = PATIENCE_MS, groupMs = GROUP_MS } = options;
    this.#sqlite = sqlite;
    this.#connection = new PreparedConnection(sqlite);
    this.#onEnd = onEnd;
    this.#patienceMs = patienceMs;
    this.#groupMs = groupMs;
    this.#statements = {
      begin: sqlite.prepare("BEGIN IMMEDIATE"),
      save: sqlite.prepare("SAVEPOINT member"),
      keep: sqlite.prepare("RELEASE member"),
      undo: sqlite.prepare("ROLLBACK TO member"),
      commit: sqlite.prepare("COMMIT"),
    };
  }

  write<T>(company: Company, work: Work<T>): Promise<T> {
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new Error("Too many transactions are waiting for the store."));
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const deadline = performance.now() + this.#patienceMs;
    this.#waiting.push({ company, deadline, work, resolve: (result) => resolve(result as T), reject });
    this.#limitPatience();
    if (!this.#isRunning) {
      this.#isRunning = true;
      // Not at once: the requests that came in with this one are about to ask as well.
      setImmediate(() => void this.#runAll());
    }
    return promise;
  }

  #refuseLate(): void {
    const now = performance.now();
    // All are as patient, so they give up in the order they came in.
    while ((this.#waiting[0]?.deadline ?? Number.POSITIVE_INFINITY) <= now + 1) {
      this.#waiting.shift()?.reject(new Error("The store was busy for too long; the transaction was not begun."));
    }
    this.#patience = undefined;
    this.#limitPatience();
  }

  #limitPatience(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => this.#refuseLate(), Math.max(0, first.deadline - performance.now()));
  }

  async #runAll(): Promise<void> {
    // Nothing is awaited between the look at who waits and the end, where somebody could come and be left waiting.
    while (this.#waiting.length > 0) {
      try {
        if (await this.#begin()) await this.#runGroup();
      } catch (error) {
        // Nobody is left waiting for what never comes, and who comes next may fare better. Who was told already hears nothing of it.
        for (const member of [...this.#members, ...this.#waiting.splice(0)]) member.reject(error);
      }
      // Whoever was answered may have more to write, and whoever only reads waits no longer than a group takes.
      if (this.#waiting.length > 0) await breathe();
    }
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#isRunning = false;
  }

  /** False when nobody is left who waits for it. */
  async #begin(): Promise<boolean> {
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      const [first] = this.#waiting;
      if (first === undefined) return false;
      try {
        this.#set("synchronous", first.company === "soon" ? "NORMAL" : "FULL");
        this.#set("temp_store", first.company === "grouped" ? "MEMORY" : "DEFAULT");
        this.#statements.begin.run();
        return true;
      } catch (error) {
        if (isBusy(error)) await sleep(waitMs);
        else this.#waiting.shift()?.reject(error);
      }
    }
  }

  /**
   * Only between transactions. What a savepoint may have to put back is little for a brief member, and kept in memory, for in a file
   * it takes more time than all else; for others it may be the whole store.
   */
  #set(pragma: "synchronous" | "temp_store", value: string): void {
    if (this.#pragmas.get(pragma) === value) return;
    this.#sqlite.pragma(`${pragma} = ${value}`);
    this.#pragmas.set(pragma, value);
  }

  async #runGroup(): Promise<void> {
    const members: Member[] = [];
    this.#members = members;
    const tell: (() => void)[] = [];
    const hasSavepoints = this.#hasToUndo;
    this.#hasToUndo = false;
    const endsAt = performance.now() + this.#groupMs;
    let hasTurned = false;
    const turning = setImmediate(() => {
      hasTurned = true;
    });
    try {
      const chains = new ChainsOfGroup();
      do {
        const member = this.#waiting.shift() as Member;
        members.push(member);
        const tellOne = await this.#runMember(member, chains, hasSavepoints);
        if (tellOne === undefined) return this.#runAgain(members);
        tell.push(tellOne);
      } while (!hasTurned && members.length < MEMBERS_MAX && this.#isJoined(members) && performance.now() < endsAt);
      if (!chains.isEmpty) await chains.write(handleOn<Database>(this.#connection));
      this.#statements.commit.run();
    } catch (error) {
      // One that was not to be told anything yet is the one that failed.
      this.#giveUp(members, error, members[tell.length]);
      return;
    } finally {
      clearImmediate(turning);
    }
    this.#onEnd();
    for (const tellOne of tell) tellOne();
  }

  /** Whether the next one may share the transaction. */
  #isJoined(members: readonly Member[]): boolean {
    return members[0]?.company === "grouped" && this.#waiting[0]?.company === "grouped";
  }

  /** Returns what the member is told once the transaction is committed; undefined where it left something that has to be undone. */
  async #runMember(member: Member, chains: ChainsOfGroup, hasSavepoint: boolean): Promise<(() => void) | undefined> {
    const isShared = member.company === "grouped";
    if (hasSavepoint) this.#statements.save.run();
    const lent = new LentConnection(this.#connection);
    try {
      const result = await member.work(handleOn<Database>(lent), isShared ? chains : undefined);
      // A fault that the work took for nothing may be one with which SQLite ended the transaction.
      if (!this.#sqlite.inTransaction) throw new Error("The store gave up the transaction while it was at work.");
      if (hasSavepoint) this.#statements.keep.run();
      chains.keep();
      return () => member.resolve(result);
    } catch (error) {
      // SQLite has given all of it up by itself after some errors, a full disk among them.
      if (!isShared || !this.#sqlite.inTransaction) throw error;
      if (hasSavepoint) {
        this.#statements.undo.run();
        this.#statements.keep.run();
      } else if (lent.hasWritten) return undefined;
      chains.drop();
      return () => member.reject(error);
    } finally {
      // What is left running when the work has ended does not reach into the work of others.
      lent.takeBack();
    }
  }

  /** Nobody was told anything, so all of them may begin anew. */
  #runAgain(members: readonly Member[]): void {
    this.#sqlite.exec("ROLLBACK");
    this.#hasToUndo = true;
    this.#waiting.unshift(...members);
    this.#members = [];
    this.#limitPatience();
  }

  /** The culprit is the member with which SQLite gave all of it up; undefined where it was the commit. */
  #giveUp(members: readonly Member[], error: unknown, culprit: Member | undefined): void {
    try {
      if (this.#sqlite.inTransaction) this.#sqlite.exec("ROLLBACK");
    } catch {
      // The transaction that comes next is refused then, and says why.
    }
    this.#onEnd();
    const isOwn = (member: Member) => culprit === undefined || member === culprit;
    const others = new Error("The store gave up a transaction that several writes shared.", { cause: error });
    for (const member of members) member.reject(isOwn(member) ? error : others);
  }
}
