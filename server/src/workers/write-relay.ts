/**
 * Writes of all workers, made by the thread that started them. Two workers that wrote in turn would each find the store changed by the other,
 * read again all that they had of it, and share a commit with half as many; so one of them, whose caches stay warm, writes for all,
 * and the others have their cores for everything else.
 *
 * What always holds: a write is answered once it is on the disk, or refused, with the same words as where the worker itself had made it. What
 * came in one turn of a worker goes over in one message, and so does what was answered in one turn of the other.
 */
import { ApiError } from "@lineup/api/errors";
import type { MakeWrite, WantedWrite, Written } from "../resources/context.ts";
import { OrganizationGone } from "../store/organization-gone.ts";
import { errorOf, faultOf, type ThreadFault } from "./thread-line.ts";

export interface NumberedWrite extends WantedWrite {
  readonly number: number;
}

/** Why a write was not made. Of an error only what is told to the client arrives whole; of a fault of ours, what goes to the log. */
type Failure =
  | { readonly refused: Pick<ApiError, "code" | "message" | "details"> }
  | { readonly isGone: true }
  | { readonly fault: ThreadFault };

export type WriteOutcome = { readonly number: number } & ({ readonly written: Written } | Failure);

interface Waiting {
  readonly orgId: string;
  resolve(written: Written): void;
  reject(error: Error): void;
}

/** Many who write at once are all answered at once, and for a moment nobody writes. They are back sooner than so long after that. */
const ALONE_AFTER_MS = 20;

export interface WritesByOtherOptions {
  send(writes: readonly NumberedWrite[]): void;
  /** Whether somebody is at the store's writer just now. */
  isSomebodyWriting(): boolean;
  /** By this worker itself. */
  readonly makeHere: MakeWrite;
  /** In milliseconds; for tests that cannot wait. */
  readonly now?: () => number;
}

/** A worker's half. */
export class WritesByOther {
  readonly #options: WritesByOtherOptions;
  readonly #now: () => number;
  readonly #waiting = new Map<number, Waiting>();
  #gathered: NumberedWrite[] = [];
  #number = 0;
  #metOthersAt = Number.NEGATIVE_INFINITY;

  constructor(options: WritesByOtherOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whoever finds nobody writing has nobody to share with, and is quicker without the way there and back. */
  readonly make: MakeWrite = (wanted) => {
    this.#lookForOthers();
    const isAlone = this.#now() - this.#metOthersAt > ALONE_AFTER_MS;
    return isAlone ? this.#options.makeHere(wanted) : this.#handOn(wanted);
  };

  #handOn(wanted: WantedWrite): Promise<Written> {
    const number = this.#number++;
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    this.#waiting.set(number, { orgId: wanted.orgId, resolve, reject });
    // Not at once: the requests that came in with this one are about to ask as well.
    if (this.#gathered.push({ number, ...wanted }) === 1) setImmediate(() => this.#sendAll());
    return promise;
  }

  hear(outcomes: readonly WriteOutcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.#waiting.get(outcome.number);
      this.#waiting.delete(outcome.number);
      if (waiting === undefined) continue;
      if ("written" in outcome) waiting.resolve(outcome.written);
      else waiting.reject(errorFrom(outcome, waiting.orgId));
    }
    if (outcomes.length > 1) this.#metOthersAt = this.#now();
    else this.#lookForOthers();
  }

  #lookForOthers(): void {
    if (this.#waiting.size > 0 || this.#options.isSomebodyWriting()) this.#metOthersAt = this.#now();
  }

  #sendAll(): void {
    const writes = this.#gathered;
    this.#gathered = [];
    try {
      this.#options.send(writes);
    } catch (error) {
      this.hear(writes.map(({ number }) => ({ number, fault: faultOf(error) })));
    }
  }
}

/** The half of the thread that writes: one for each worker. */
export class WriteDesk {
  readonly #make: MakeWrite;
  readonly #send: (outcomes: readonly WriteOutcome[]) => void;
  #gathered: WriteOutcome[] = [];

  constructor(make: MakeWrite, send: (outcomes: readonly WriteOutcome[]) => void) {
    this.#make = make;
    this.#send = send;
  }

  take(writes: readonly NumberedWrite[]): void {
    for (const { number, ...wanted } of writes) void this.#makeOne(number, wanted);
  }

  /** Never rejects. */
  async #makeOne(number: number, wanted: WantedWrite): Promise<void> {
    let outcome: WriteOutcome;
    try {
      outcome = { number, written: await this.#make(wanted) };
    } catch (error) {
      outcome = { number, ...describe(error) };
    }
    // Those who shared its commit hear of it now as well, before anything else is begun.
    if (this.#gathered.push(outcome) === 1) process.nextTick(() => this.#sendAll());
  }

  #sendAll(): void {
    const outcomes = this.#gathered;
    this.#gathered = [];
    try {
      this.#send(outcomes);
    } catch (error) {
      this.#send(outcomes.map(({ number }) => ({ number, fault: faultOf(error) })));
    }
  }
}

function describe(error: unknown): Failure {
  if (error instanceof OrganizationGone) return { isGone: true };
  if (!(error instanceof ApiError)) return { fault: faultOf(error) };
  const { code, message, details } = error;
  return { refused: { code, message, details } };
}

function errorFrom(failure: Failure, orgId: string): Error {
  if ("isGone" in failure) return new OrganizationGone(orgId);
  if ("fault" in failure) return errorOf(failure.fault);
  const { code, message, details } = failure.refused;
  return new ApiError(code, message, details === undefined ? {} : { details });
}
