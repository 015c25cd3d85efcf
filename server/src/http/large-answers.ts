/**
 * How many large answers stand in memory at once. An answer's bytes stay until its client has taken them, and a client may
 * take its time; so a large answer needs a slot first: at most two of an organization and eight in all. A slot is released when the response or
 * its connection is closed, whole or torn down.
 *
 * A request that finds no slot waits in order, behind its own organization alone as long as others leave slots free. The queue of an
 * organization and the wait are bounded; past either, the request fails and the log says why. A client that takes nothing of
 * its large answer for a while is cut off, so a wait behind it ends well before it would fail.
 *
 * A cached answer is in memory already and goes out at once. But it counts for its organization until it is taken: once the
 * cache has dropped it, the response alone would keep it alive, and no new one is to be made beside too many of those.
 */
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ClientGone } from "./json-body.ts";

export interface LargeAnswerLimits {
  readonly perOrg: number;
  readonly inAll: number;
  readonly waitingPerOrg: number;
  readonly waitMs: number;
}

export const LARGE_ANSWER_LIMITS: LargeAnswerLimits = { perOrg: 2, inAll: 8, waitingPerOrg: 100, waitMs: 30_000 };

/** From here on an answer is large, however few its items are. */
export const LARGE_ANSWER_BYTES = 1024 * 1024;

/**
 * Without a byte taken for this long, nobody is reading. Node compares what is left to send once in this time, and the first
 * look always finds a difference; so twice as long may pass, which is still less than the wait for a slot.
 */
export const STALLED_MS = 12_000;

/** Gives a slot back; more than once is as good as once. */
export type Release = () => void;

interface Waiter {
  readonly orgId: string;
  admit(): void;
}

export class LargeAnswers {
  readonly #limits: LargeAnswerLimits;
  /** Large answers of each organization that are being made or sent. */
  readonly #byOrg = new Map<string, number>();
  #taken = 0;
  /** In order of arrival. None of them could be admitted: whenever a slot is released, all who can are. */
  readonly #waiting = new Set<Waiter>();

  constructor(limits: LargeAnswerLimits = LARGE_ANSWER_LIMITS) {
    this.#limits = limits;
  }

  /** A slot for an answer that is about to be made; waits for one, and fails when that takes too long. */
  async take(orgId: string, connection: Duplex): Promise<Release> {
    if (connection.destroyed) throw new ClientGone();
    return holdFor(connection, this.#hasRoom(orgId) ? this.#occupy(orgId) : await this.#waitForRoom(orgId, connection));
  }

  /** Counts an answer that is there already, without waiting. */
  count(orgId: string, connection: Duplex): Release {
    if (connection.destroyed) throw new ClientGone();
    this.#byOrg.set(orgId, this.#countOf(orgId) + 1);
    return holdFor(connection, () => this.#leave(orgId));
  }

  #countOf(orgId: string): number {
    return this.#byOrg.get(orgId) ?? 0;
  }

  #hasRoom(orgId: string): boolean {
    return this.#taken < this.#limits.inAll && this.#countOf(orgId) < this.#limits.perOrg;
  }

  #occupy(orgId: string): Release {
    this.#taken++;
    this.#byOrg.set(orgId, this.#countOf(orgId) + 1);
    return () => {
      this.#taken--;
      this.#leave(orgId);
    };
  }

  #leave(orgId: string): void {
    const left = this.#countOf(orgId) - 1;
    if (left > 0) this.#byOrg.set(orgId, left);
    else this.#byOrg.delete(orgId);
    for (const waiter of this.#waiting) {
      if (this.#taken >= this.#limits.inAll) break;
      if (this.#hasRoom(waiter.orgId)) waiter.admit();
    }
  }

  #waitForRoom(orgId: string, connection: Duplex): Promise<Release> {
    const { waitingPerOrg, waitMs } = this.#limits;
    const ahead = this.#waiting.values().reduce((sum, waiter) => sum + (waiter.orgId === orgId ? 1 : 0), 0);
    if (ahead >= waitingPerOrg) throw new Error(`${ahead} large answers of ${orgId} are waited for already.`);
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        connection.off("close", onGone);
      };
      const onGone = () => {
        stopWaiting();
        reject(new ClientGone());
      };
      const onTimeout = () => {
        stopWaiting();
        reject(new Error(`No slot for a large answer of ${orgId} came free within ${waitMs} ms.`));
      };
      const waiter: Waiter = {
        orgId,
        admit: () => {
          stopWaiting();
          resolve(this.#occupy(orgId));
        },
      };
      const timer = setTimeout(onTimeout, waitMs);
      this.#waiting.add(waiter);
      listenForClose(connection, onGone);
    });
  }
}

/** One for the process, because its memory is one. */
export const largeAnswers = new LargeAnswers();

/**
 * Called when the connection goes, if it was not before, and once in all; at once where it has gone already. A response that waits
 * behind another on its connection never says that it was closed; the connection does.
 */
function holdFor(connection: Duplex, release: () => void): Release {
  if (connection.destroyed) {
    release();
    throw new ClientGone();
  }
  let isHeld = true;
  const releaseOnce = () => {
    if (!isHeld) return;
    isHeld = false;
    connection.off("close", releaseOnce);
    release();
  };
  listenForClose(connection, releaseOnce);
  return releaseOnce;
}

function listenForClose(connection: Duplex, listener: () => void): void {
  // A connection can carry as many requests at once as its client likes to send.
  connection.setMaxListeners(0);
  connection.once("close", listener);
}

export function holdUntilClosed(response: ServerResponse, release: Release, stalledMs = STALLED_MS): void {
  if (response.closed || response.destroyed) {
    release();
    return;
  }
  response.once("close", release);
  // Node cuts the connection off when this passes without any progress, and sets its own time again for the next request.
  response.setTimeout(stalledMs);
}
