/**
 * Sends webhooks. The audit log is the outbox: what is committed there is read behind each webhook's position and sent, and nothing else
 * is. So nothing is sent that was not committed, and nothing that was is forgotten: the position moves with the results, in one write. What
 * was sent and not yet written when the process died is sent again, under the same id.
 *
 * One loop reads what is ready, writes what came of attempts, and begins others; attempts themselves run beside it. None of it happens in
 * anybody's request. Memory is bounded: by the attempts under way, by what each endpoint has queued, and by what waits to be written, past
 * which nothing new is begun.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../store/store.ts";
import { readChanges } from "./change-rows.ts";
import { listReadyWebhooks, pruneDeliveries, readDueDeliveries, writeResults } from "./delivery-store.ts";
import { EndpointQueue, type Job } from "./endpoint-queue.ts";
import { Lease } from "./lease.ts";
import { type HealthTools, judgeHealth } from "./webhook-health.ts";
import {
  type AttemptResult,
  type Message,
  messageOfChange,
  messageOfPing,
  type WebhookRequester,
} from "./webhook-request.ts";
import { parseTypes, secretsOf } from "./webhook-rows.ts";
import type { SecretBox } from "./webhook-secret.ts";
import { disableGone, GONE } from "./webhook-store.ts";

const LOOK_EVERY_MS = 200;
/** While there is something to write, so that little is sent twice by the next process; and after a look that took long. */
const LOOK_PAUSE_MIN_MS = 50;
const ATTEMPTS_MAX = 1_024;
/** Endpoints that are slow, have just failed or never answered leave so many places to the others. */
const PLACES_FOR_QUICK = 256;
/** Such endpoints of one organization together. */
const SLOW_OF_ORGANIZATION_MAX = 64;
const UNWRITTEN_MAX = 5_000;
/** About so many in one transaction, which others who write wait for. */
const RESULTS_A_WRITE = 200;
/** A position that moves past what no one is told of need not be written at once. */
const POSITION_EVERY_MS = 1_000;
const QUEUED_A_PLACE = 8;
const IDLE_QUEUE_MS = 60_000;
const HEALTH_EVERY_MS = 2_000;
const PRUNE_EVERY_MS = 10_000;
const STOP_PATIENCE_MS = 2_000;

export interface SenderOptions extends HealthTools {
  readonly store: Store;
  readonly box: SecretBox;
  readonly requester: WebhookRequester;
  now(): number;
  onFault(error: unknown): void;
  onRecovery(): void;
}

export class WebhookSender {
  /** Since the start, for anyone who watches. */
  delivered = 0;
  refused = 0;
  /** Rows of the audit log and due deliveries that were ready at the last look. */
  backlog = 0;
  readonly #options: SenderOptions;
  readonly #lease: Lease;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #loop: Promise<void>;
  readonly #stopping = new AbortController();
  /** Places that the endpoints of each organization hold. */
  readonly #ofOrganization = new Map<string, number>();
  /** Endpoints that found no place. */
  readonly #waiting = new Set<string>();
  #underWay = 0;
  #unwritten = 0;
  #isFaulty = false;
  #healthAt = Number.NEGATIVE_INFINITY;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { store } = options;
    this.#lease = new Lease({ store, name: "webhooks", onFault: (error) => this.#noteFault(error) });
    this.#loop = this.#run();
  }

  /** What is under way is given a moment; what is not over then is sent again by the next. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    const deadline = performance.now() + STOP_PATIENCE_MS;
    while (this.#underWay > 0 && performance.now() < deadline) await sleep(10);
    await this.#write();
    await this.#lease.release();
  }

  get #maySend(): boolean {
    return !this.#stopping.signal.aborted && this.#lease.isHeld;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const begun = performance.now();
      try {
        await this.#look();
        if (this.#isFaulty) this.#options.onRecovery();
        this.#isFaulty = false;
      } catch (error) {
        this.#noteFault(error);
      }
      const leftMs = this.#unwritten > 0 ? 0 : LOOK_EVERY_MS - (performance.now() - begun);
      const pauseMs = Math.max(LOOK_PAUSE_MIN_MS, leftMs);
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** First what is known is written: what is read after that is never older. */
  async #look(): Promise<void> {
    await this.#write();
    if (!this.#maySend) {
      this.backlog = 0;
      return this.#forgetIdle();
    }
    const { store, now } = this.#options;
    const ready = await listReadyWebhooks(store, now());
    this.backlog = ready.reduce((sum, { end, position }) => sum + Math.max(0, end - position), 0);
    const ids = new Set(ready.map(({ id }) => id));
    for (const [id, queue] of this.#queues) if (!ids.has(id) && queue.hasQueued) queue.drop();
    for (const { end, ...webhook } of ready) {
      const known = this.#queues.get(webhook.id);
      if (known === undefined) this.#queues.set(webhook.id, new EndpointQueue(webhook, end));
      else known.refresh(webhook, end);
    }
    this.#forgetIdle();
    await Promise.all([...ids].map((id) => this.#fill(id)));
    await this.#tidy(performance.now());
  }

  async #tidy(nowMs: number): Promise<void> {
    if (nowMs - this.#healthAt >= HEALTH_EVERY_MS) {
      this.#healthAt = nowMs;
      await judgeHealth(this.#options, this.#options.now());
    }
    if (nowMs - this.#prunedAt >= PRUNE_EVERY_MS) {
      const isMore = await pruneDeliveries(this.#options.store, this.#options.now());
      if (!isMore) this.#prunedAt = nowMs;
    }
  }

  /** Begins as many attempts as there is room for. */
  async #fill(id: string): Promise<void> {
    const queue = this.#queues.get(id);
    if (queue === undefined || queue.isFilling) return;
    queue.isFilling = true;
    try {
      while (this.#hasRoomFor(queue)) {
        const job = queue.take() ?? ((await this.#read(queue)) ? queue.take() : undefined);
        if (job === undefined) return;
        void this.#attempt(queue, job);
      }
    } finally {
      queue.isFilling = false;
    }
  }

  #hasRoomFor(queue: EndpointQueue): boolean {
    if (!this.#maySend || this.#unwritten >= UNWRITTEN_MAX || !queue.hasRoom(this.#options.now())) return false;
    const held = this.#ofOrganization.get(queue.webhook.org_id) ?? 0;
    const isFree = queue.isQuick
      ? this.#underWay < ATTEMPTS_MAX
      : this.#underWay < ATTEMPTS_MAX - PLACES_FOR_QUICK && held < SLOW_OF_ORGANIZATION_MAX;
    if (!isFree) this.#waiting.add(queue.webhook.id);
    return isFree;
  }

  #hold(orgId: string, places: 1 | -1): void {
    this.#underWay += places;
    const held = (this.#ofOrganization.get(orgId) ?? 0) + places;
    if (held === 0) this.#ofOrganization.delete(orgId);
    else this.#ofOrganization.set(orgId, held);
  }

  /** Returns whether there may be something to take. */
  async #read(queue: EndpointQueue): Promise<boolean> {
    const { store, now } = this.#options;
    const { webhook } = queue;
    const limit = queue.allowed * QUEUED_A_PLACE;
    if (webhook.next_due_at !== null && webhook.next_due_at <= now()) {
      queue.addDue(await readDueDeliveries(store, webhook, now(), limit + queue.underWay + queue.results.length));
    }
    if (queue.lookedTo >= queue.end) return queue.hasQueued;
    const from = queue.lookedTo;
    const types = parseTypes(webhook.types) ?? undefined;
    // No further than was known when its types were: others may be wanted of what came later.
    const read = await readChanges(store.org(webhook.org_id), from, types, limit, queue.end);
    // Where it was begun anew, or wants other types meanwhile, this is of before.
    if (queue.lookedTo === from && queue.webhook.types === webhook.types) queue.add(read.changes, read.lookedTo);
    return queue.hasQueued || queue.lookedTo < queue.end;
  }

  async #attempt(queue: EndpointQueue, job: Job): Promise<void> {
    const { webhook } = queue;
    this.#hold(webhook.org_id, 1);
    let isGone = false;
    try {
      const attempt = await this.#send(queue, job);
      queue.settle(job, attempt);
      this.#unwritten++;
      if (attempt.fault === null) this.delivered++;
      else this.refused++;
      isGone = attempt.status === GONE;
    } catch (error) {
      queue.abandon(job);
      this.#noteFault(error);
    } finally {
      this.#hold(webhook.org_id, -1);
    }
    if (isGone) {
      queue.drop();
      const { store, now } = this.#options;
      const ref = { orgId: webhook.org_id, webhookId: webhook.id };
      await disableGone(store, ref, now()).catch((error: unknown) => this.#noteFault(error));
    }
    await this.#fillNext(webhook.id).catch((error: unknown) => this.#noteFault(error));
  }

  /** The one that has waited longest goes first. */
  async #fillNext(id: string): Promise<void> {
    const [waiting] = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting.delete(waiting);
      await this.#fill(waiting);
    }
    await this.#fill(id);
  }

  async #send(queue: EndpointQueue, job: Job): Promise<AttemptResult> {
    const { box, requester, now } = this.#options;
    const { webhook } = queue;
    const message = await this.#messageOf(webhook.org_id, webhook.id, job);
    if (message === undefined) {
      return { at: now(), status: null, durationMs: 0, fault: "was not asked: the change is no longer kept" };
    }
    queue.secrets ??= secretsOf(box, webhook, now());
    return requester.send(webhook.url, queue.secrets, message);
  }

  async #messageOf(orgId: string, webhookId: string, { change, due }: Job): Promise<Message | undefined> {
    if (change !== undefined) return messageOfChange(change);
    if (due.seq === null) return messageOfPing(due.id, webhookId, this.#options.now());
    const read = await readChanges(this.#options.store.org(orgId), due.seq - 1, undefined, 1, due.seq);
    const [found] = read.changes;
    return found === undefined ? undefined : messageOfChange(found);
  }

  /** What came of attempts, and how far each endpoint is. What cannot be written is tried again at the next look. */
  async #write(): Promise<void> {
    const ids = [...this.#queues.keys()].sort();
    let batch: EndpointQueue[] = [];
    let results = 0;
    for (const id of ids) {
      const queue = this.#queues.get(id);
      const isLate = queue !== undefined && performance.now() - queue.writtenAt >= POSITION_EVERY_MS;
      if (queue === undefined || !(queue.results.length > 0 || (isLate && queue.settledTo > queue.webhook.position))) {
        continue;
      }
      batch.push(queue);
      results += queue.results.length;
      if (results < RESULTS_A_WRITE) continue;
      await this.#writeBatch(batch);
      [batch, results] = [[], 0];
    }
    if (batch.length > 0) await this.#writeBatch(batch);
  }

  async #writeBatch(queues: readonly EndpointQueue[]): Promise<void> {
    const { store, now } = this.#options;
    const written = queues.map((queue) => {
      return { webhook: queue.webhook, position: queue.settledTo, results: [...queue.results] };
    });
    const positions = await writeResults(store, written, now());
    for (const [index, queue] of queues.entries()) {
      const { results } = written[index] ?? { results: [] };
      queue.noteWritten(results, positions[index]);
      this.#unwritten -= results.length;
    }
  }

  #forgetIdle(): void {
    const before = performance.now() - IDLE_QUEUE_MS;
    const now = this.#options.now();
    for (const [id, queue] of this.#queues) {
      // One that asked to be left alone is known until then.
      if (queue.isIdle && queue.activeAt < before && queue.pausedUntil <= now) this.#queues.delete(id);
    }
  }

  #noteFault(error: unknown): void {
    if (!this.#isFaulty) this.#options.onFault(error);
    this.#isFaulty = true;
  }
}
