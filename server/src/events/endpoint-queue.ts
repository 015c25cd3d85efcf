/**
 * What is on its way to one endpoint: changes that were read and wait to be sent, deliveries that are due again, and attempts under way.
 *
 * How many may be under way at once grows with success and falls to one with a fault. So an endpoint that hangs holds one place, and one
 * that has never answered gets no more than that. Changes are begun in their order, but one that fails holds up none behind it.
 *
 * The position passes a change only when its result goes into the same write, or went into one before.
 */

import type { Change } from "@lineup/api/changes";
import type { DeliveryResult, DueDelivery } from "./delivery-store.ts";
import type { AttemptResult } from "./webhook-request.ts";
import type { WebhookRow } from "./webhook-rows.ts";

const UNDER_WAY_MAX = 8;
const QUICK_MS = 1_000;
/** After a fault the next attempt waits a little, up to this: one that refuses at once is not to be asked a thousand times a second. */
const REST_MAX_MS = 1_000;
/** A later `Retry-After` holds its message back, but nothing else for longer. */
const PAUSE_MAX_MS = 3_600_000;

/** A change for the first time, or a delivery that is due again. */
export type Job =
  | { readonly change: Change; readonly due?: undefined; readonly generation: number }
  | { readonly change?: undefined; readonly due: DueDelivery; readonly generation: number };

export class EndpointQueue {
  webhook: WebhookRow;
  /** Opened once, and again when the row is read anew. */
  secrets: readonly string[] | undefined;
  /** How many attempts may be under way. */
  allowed = 1;
  underWay = 0;
  /** Of the audit log, as far as it was read for this endpoint. */
  lookedTo: number;
  /** Number of the last row of the audit log that is known. */
  end: number;
  pausedUntil = 0;
  /** Whether its last answer was a success, and quick. */
  isQuick = false;
  /** When there was last something to do, and when that was last written. */
  activeAt = performance.now();
  writtenAt = performance.now();
  isFilling = false;
  readonly results: DeliveryResult[] = [];
  #changes: Change[] = [];
  #due: DueDelivery[] = [];
  /** Numbers of changes whose first attempt is under way. */
  #sending = new Set<number>();
  /** Deliveries that are being tried again, or were and are not written yet. */
  readonly #retrying = new Set<string>();
  #generation = 0;
  /** Since its last success. */
  #faults = 0;
  #restsUntil = 0;
  #retriesFirst = true;

  constructor(webhook: WebhookRow, end: number) {
    this.webhook = webhook;
    this.end = end;
    this.lookedTo = webhook.position;
  }

  /** As it was read anew. Where somebody has moved the position, what was read from there on is read again. */
  refresh(webhook: WebhookRow, end: number): void {
    const isMoved = webhook.position !== this.webhook.position || webhook.replays !== this.webhook.replays;
    if (isMoved) this.#begin(webhook.position);
    else if (webhook.types !== this.webhook.types) this.drop();
    // What a person does with it ends a pause: what they ask for goes at once.
    if (webhook.updated_at !== this.webhook.updated_at) this.pausedUntil = 0;
    this.webhook = webhook;
    this.secrets = undefined;
    this.end = end;
    this.activeAt = performance.now();
  }

  /** Forgets what was read and not begun; for an endpoint that is disabled or gone, or is to be told of other types. */
  drop(): void {
    this.lookedTo = Math.min(this.lookedTo, ...this.#changes.map(({ sequence }) => sequence - 1));
    this.#changes = [];
    this.#due = [];
  }

  get isIdle(): boolean {
    return this.underWay === 0 && this.results.length === 0 && this.#changes.length === 0 && this.#due.length === 0;
  }

  get hasQueued(): boolean {
    return this.#changes.length > 0 || this.#due.length > 0;
  }

  hasRoom(now: number): boolean {
    return this.underWay < this.allowed && now >= this.pausedUntil && performance.now() >= this.#restsUntil;
  }

  add(changes: readonly Change[], lookedTo: number): void {
    this.#changes.push(...changes);
    this.lookedTo = lookedTo;
  }

  /** Those that are not under way already. */
  addDue(due: readonly DueDelivery[]): void {
    const known = new Set(this.#due.map(({ id }) => id));
    this.#due.push(...due.filter(({ id }) => !known.has(id) && !this.#retrying.has(id)));
  }

  /** By turns, where there is both: neither is held up by any number of the other. */
  take(): Job | undefined {
    const takesDue = this.#due.length > 0 && (this.#retriesFirst || this.#changes.length === 0);
    this.#retriesFirst = !takesDue;
    const generation = this.#generation;
    if (takesDue) {
      const due = this.#due.shift();
      if (due === undefined) return undefined;
      this.#retrying.add(due.id);
      this.underWay++;
      return { due, generation };
    }
    const change = this.#changes.shift();
    if (change === undefined) return undefined;
    this.#sending.add(change.sequence);
    this.underWay++;
    return { change, generation };
  }

  settle(job: Job, attempt: AttemptResult): void {
    this.underWay--;
    this.allowed = attempt.fault === null ? Math.min(UNDER_WAY_MAX, this.allowed * 2) : 1;
    this.#faults = attempt.fault === null ? 0 : this.#faults + 1;
    this.#restsUntil = performance.now() + (this.#faults === 0 ? 0 : Math.min(REST_MAX_MS, 2 ** this.#faults * 50));
    this.isQuick = attempt.fault === null && attempt.durationMs < QUICK_MS;
    if (attempt.retryAfterMs !== undefined) {
      this.pausedUntil = attempt.at + Math.min(attempt.retryAfterMs, PAUSE_MAX_MS);
    }
    if (job.due === undefined && job.generation === this.#generation) this.#sending.delete(job.change.sequence);
    const { id, seq, type } = job.due ?? { ...job.change, seq: job.change.sequence };
    this.results.push({ id, seq, type, attempt });
  }

  /** It came to no attempt, through a fault of ours, and is begun again. */
  abandon(job: Job): void {
    this.underWay--;
    if (job.due !== undefined) this.#retrying.delete(job.due.id);
    else if (job.generation === this.#generation) {
      this.#sending.delete(job.change.sequence);
      this.#changes.unshift(job.change);
    }
  }

  /** Up to here every change was settled, and so is written with the results. */
  get settledTo(): number {
    const first = Math.min(...this.#sending, ...this.#changes.map(({ sequence }) => sequence));
    return first === Number.POSITIVE_INFINITY ? this.lookedTo : first - 1;
  }

  /** The results were written. `position` is undefined where somebody has moved it meanwhile, or the webhook is gone. */
  noteWritten(results: readonly DeliveryResult[], position: number | undefined): void {
    this.results.splice(0, results.length);
    for (const { id } of results) this.#retrying.delete(id);
    if (position !== undefined) this.webhook = { ...this.webhook, position };
    this.writtenAt = performance.now();
  }

  #begin(position: number): void {
    this.#generation++;
    this.#changes = [];
    this.#sending = new Set();
    this.lookedTo = position;
  }
}
