/**
 * Group commit: who wants to write while others do shares their transaction, and so their wait for the disk, which takes as long for many
 * as for one. Those who wait at the same moment are the members of a group: one transaction, in which the work of one member comes
 * after that of the other, then one commit. In the embedded store all writers of the process wait in one line, in PostgreSQL those of one
 * organization do. Work that reads one state over several queries of an embedded file waits in such a line too, of its own, each alone.
 *
 * What always holds:
 * - Members never interleave: the next begins when the one before has ended. Who fails has written nothing, as nearly always, or is undone
 *   before anybody else has seen what it wrote: the group is given up then and run again, each member in a savepoint of its own. With
 *   savepoints a group takes a fifth longer, so it has them only when they are known to be needed. The work of a member may therefore
 *   run again, and does nothing but ask the store.
 * - A member sees what those before it have written, as it would had they committed. They are kept or lost together, so nothing is
 *   kept that rests on something that is not.
 * - Nobody is told anything before the commit: not that its work is done, and not that it was refused either, for the reason may be what
 *   another member wrote. Where the commit fails, the connection is lost, or the database gives the whole transaction up, all members fail.
 * - A group is bounded, in members and in time. In the embedded store, work that lets the event loop turn closes its group to newcomers.
 *   Who is known to take long says so, and has a transaction to itself.
 *
 * The lock is waited for between other work, never inside SQLite. Who waits too long, for others of this process or another, is refused.
 */
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { ChainEngine, ChainLook, ClaimedChain } from "./audit-look.ts";
import { GroupChains } from "./audit-writing.ts";
import type { LentConnection } from "./direct-handle.ts";
import type { Database } from "./schema.ts";

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
export type GroupMode = "grouped" | "alone" | "soon";

/** `shared` is what those who share a transaction know of the audit log together. */
export type Work<T> = (db: Kysely<Database>, shared?: GroupChains) => Promise<T>;

/** All in which the databases differ here. */
export interface GroupWriter {
  /** Whether nobody waits for the database; so work that lets the event loop turn waits for something else. */
  readonly answersAtOnce: boolean;
  readonly chains: ChainEngine;
  begin(mode: GroupMode, look: ChainLook | undefined): Promise<WriteTransaction | "busy">;
}

export interface WriteTransaction {
  /** The chain that was claimed as it began. */
  readonly claimed?: ClaimedChain | undefined;
  /** A handle for one member. */
  lend(): { readonly connection: LentConnection; readonly db: Kysely<Database> };
  /** False once the database has given all of it up by itself. */
  readonly isOpen: boolean;
  /** A statement has failed, and nothing can be asked before that is undone. */
  readonly hasFailed: boolean;
  save(): void | Promise<void>;
  /** What was done since `save` stays; throws where something of it failed. */
  keep(): void | Promise<void>;
  /** What was done since `save` is undone. */
  undo(): void | Promise<void>;
  /** Throws a `LateFault` where something failed that nobody has waited for. */
  commit(): void | Promise<void>;
  rollback(): void | Promise<void>;
}

/** A statement failed that was not waited for. Whose it was is found out by running the members again. */
export class LateFault extends Error {}

export interface WriteGroupsOptions {
  /** A transaction has ended, well or badly, and nobody was told yet. */
  onEnd?(): void;
  /** Nobody is at work any more, and nobody waits. */
  onIdle?(): void;
  /** For tests that cannot wait that long. */
  readonly patienceMs?: number;
  /** For tests on a machine of which nobody knows how busy it is. */
  readonly groupMs?: number;
}

interface Member {
  readonly mode: GroupMode;
  readonly deadline: number;
  readonly work: Work<unknown>;
  /** Which chain of the audit log it will add to, and what is known of that by then. */
  readonly look: (() => ChainLook) | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class WriteGroups {
  readonly #writer: GroupWriter;
  readonly #options: WriteGroupsOptions;
  readonly #waiting: Member[] = [];
  /** Those of the transaction under way. */
  #members: Member[] = [];
  /** A group was given up, and one of those who wait has something that has to be undone by itself. */
  #hasToUndo = false;
  #isRunning = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(writer: GroupWriter, options: WriteGroupsOptions = {}) {
    this.#writer = writer;
    this.#options = options;
  }

  write<T>(mode: GroupMode, work: Work<T>, look?: () => ChainLook): Promise<T> {
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new Error("Too many transactions are waiting for the store."));
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const deadline = performance.now() + (this.#options.patienceMs ?? PATIENCE_MS);
    this.#waiting.push({ mode, deadline, work, look, resolve: (result) => resolve(result as T), reject });
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
    const { onIdle } = this.#options;
    // Nothing is awaited between the look at who waits and the end, where somebody could come and be left waiting.
    while (this.#waiting.length > 0) {
      try {
        const transaction = await this.#begin();
        if (transaction !== undefined) await this.#runGroup(transaction);
      } catch (error) {
        // Nobody is left waiting for what never comes, and who comes next may fare better. Who was told already hears nothing of it.
        for (const member of [...this.#members, ...this.#waiting.splice(0)]) member.reject(error);
      }
      // Who was answered may have more to write, and who only reads waits no longer than a group takes.
      if (this.#waiting.length > 0) await breathe();
    }
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#isRunning = false;
    onIdle?.();
  }

  /** Undefined when nobody is left who waits for it. */
  async #begin(): Promise<WriteTransaction | undefined> {
    this.#members = [];
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      const [first] = this.#waiting;
      if (first === undefined) return undefined;
      const begun = await this.#writer.begin(first.mode, first.look?.());
      if (begun !== "busy") return begun;
      await sleep(waitMs);
    }
  }

  async #runGroup(transaction: WriteTransaction): Promise<void> {
    const members = this.#members;
    const tell: (() => void)[] = [];
    const hasSavepoints = this.#hasToUndo;
    this.#hasToUndo = false;
    const endsAt = performance.now() + (this.#options.groupMs ?? GROUP_MS);
    let hasTurned = false;
    const turning = setImmediate(() => {
      hasTurned = this.#writer.answersAtOnce;
    });
    try {
      const chains = new GroupChains(transaction.claimed);
      do {
        const member = this.#waiting.shift();
        // All who waited have given up meanwhile.
        if (member === undefined) break;
        members.push(member);
        const tellOne = await this.#runMember(member, transaction, chains, hasSavepoints);
        if (tellOne === undefined) return await this.#runAgain(transaction);
        tell.push(tellOne);
      } while (!hasTurned && members.length < MEMBERS_MAX && this.#isJoined(members) && performance.now() < endsAt);
      if (!chains.isEmpty) await chains.write(transaction.lend().db, this.#writer.chains);
      await transaction.commit();
    } catch (error) {
      const isLate = error instanceof LateFault;
      if (isLate && !hasSavepoints && members[0]?.mode === "grouped") return await this.#runAgain(transaction);
      // One that was not to be told anything yet is the one that failed.
      return await this.#giveUp(transaction, isLate ? error.cause : error, members[tell.length]);
    } finally {
      clearImmediate(turning);
    }
    this.#options.onEnd?.();
    for (const tellOne of tell) tellOne();
  }

  /** Whether the next one may share the transaction. */
  #isJoined(members: readonly Member[]): boolean {
    return members[0]?.mode === "grouped" && this.#waiting[0]?.mode === "grouped";
  }

  /** Returns what the member is told once the transaction is committed; undefined where it left something that has to be undone. */
  async #runMember(
    member: Member,
    transaction: WriteTransaction,
    chains: GroupChains,
    hasSavepoint: boolean,
  ): Promise<(() => void) | undefined> {
    const isShared = member.mode === "grouped";
    if (hasSavepoint) await transaction.save();
    const { connection, db } = transaction.lend();
    try {
      const result = await member.work(db, isShared ? chains : undefined);
      connection.takeBack();
      // A fault that the work took for nothing may be one with which the database ended the transaction.
      if (!transaction.isOpen) throw new Error("The store gave up the transaction while it was at work.");
      if (hasSavepoint) await transaction.keep();
      chains.keep();
      return () => member.resolve(result);
    } catch (error) {
      // What the work has left running does not reach into what comes after it.
      connection.takeBack();
      // SQLite has given all of it up by itself after some errors, a full disk among them; and a connection may be lost.
      if (!isShared || !transaction.isOpen) throw error;
      if (hasSavepoint) await transaction.undo();
      else if (connection.hasWritten || transaction.hasFailed) return undefined;
      chains.drop();
      return () => member.reject(error);
    }
  }

  /** Nobody was told anything, so all of them may begin anew. */
  async #runAgain(transaction: WriteTransaction): Promise<void> {
    await transaction.rollback();
    this.#hasToUndo = true;
    this.#waiting.unshift(...this.#members);
    this.#members = [];
    this.#limitPatience();
  }

  /** The culprit is the member with which the database gave all of it up; undefined where it was the commit. */
  async #giveUp(transaction: WriteTransaction, error: unknown, culprit: Member | undefined): Promise<void> {
    try {
      await transaction.rollback();
    } catch {
      // The transaction that comes next is refused then, and says why.
    }
    this.#options.onEnd?.();
    const isOwn = (member: Member) => culprit === undefined || member === culprit;
    const others = new Error("The store gave up a transaction that several writes shared.", { cause: error });
    for (const member of this.#members) member.reject(isOwn(member) ? error : others);
  }
}
