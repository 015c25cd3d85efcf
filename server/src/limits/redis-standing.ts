/**
 * How this node stands to Redis and to the other nodes:
 *
 *     together   Redis decides. Beats once a second tell Redis that the node lives, and the node how many there are.
 *     alone      Redis is away, or has lost what it knew: the node decides within its share, and asks in the background.
 *     settling   Redis is back and is given what this node owes, and other nodes may still be alone: Redis and the share
 *                must both admit. Together when nothing is owed and every node it knew has beaten since, or is gone.
 *
 * What always holds: nothing waits for Redis in `alone`. A node beats only when it owes nothing. What Redis lacks
 * during `settling` was admitted within shares, and so is what is admitted then; so the sum stays within the limit
 * while nodes return one after the other, also to a Redis that is empty. An admission is owed until Redis has answered for the batch it
 * is in; a batch keeps its name and its times until then, and Redis adds each once. Redis's time is taken from beats, and the node's
 * monotonic clock carries it on.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import { mergeAdmissions } from "./redis-admissions.ts";
import { CallsInFlight } from "./redis-calls.ts";
import { connectToRedis, isUnreadable, type RedisLink, within } from "./redis-link.ts";
import { OwnAdmissions } from "./redis-own-admissions.ts";
import { type Beat, beat, leaveNodes } from "./redis-scripts.ts";

const OLDEST_REDIS = 7;
const CONNECT_WITHIN_MS = 4_500;
const SETTLE_EVERY_MS = 50;
const PROBE_WITHIN_MS = 1_000;
/** A Redis that takes longer is not back yet; less than a request may take, or Redis would come and go. */
const ANSWER_WITHIN_MS = 40;
/** Late answers come at once when Redis does, or never. */
const LATE_WITHIN_MS = 250;
const DROP_IDLE_EVERY_MS = 60_000;
const KEYS_AT_ONCE = 16;
/** So few that Redis decides requests in between: a merge costs what is in the batch and what is later in the list. */
const BATCH_SIZE = 4_096;

export interface RedisTiming {
  /** A request that has waited this long is decided alone. */
  readonly decideWithinMs: number;
  readonly beatEveryMs: number;
  /** A beat may take longer than a request: no request waits for it. */
  readonly beatWithinMs: number;
  readonly goneAfterMs: number;
  readonly probeEveryMs: number;
}

export interface StandingOptions {
  /** redis:// or rediss://, with user, password and database as needed; of a cluster, any of its servers. */
  readonly url: string;
  readonly clock: Clock;
  readonly timing: RedisTiming;
  /** Redis is away; called once for an outage. */
  onAway?(error: Error): void;
  /** Redis decides again. */
  onBack?(): void;
}

export class RedisStanding {
  readonly #options: StandingOptions;
  readonly #nodeId = randomUUID();
  readonly counts = { outages: 0, losses: 0, givenBack: 0, unreadable: 0 };
  /** The requests that wait for Redis. */
  readonly calls: CallsInFlight;
  mode: "together" | "alone" | "settling" = "together";
  #link: RedisLink;
  readonly #keys = new Map<string, OwnAdmissions>();
  readonly #owing = new Set<OwnAdmissions>();
  #batches = 0;
  #isGiving = false;
  #others = new Set<string>();
  #offsetMs = 0;
  /** The last beat that Redis must know of, and the process that was told. */
  #told: { readonly atMs: number; readonly runId: string | undefined } = { atMs: 0, runId: undefined };
  #returned = { atMs: 0, monotonicMs: 0 };
  #isClosed = false;
  #beatTimer: NodeJS.Timeout | undefined;
  #dropIdleAtMs = 0;

  private constructor(options: StandingOptions, link: RedisLink) {
    this.#options = options;
    this.#link = link;
    this.calls = new CallsInFlight(options.timing.decideWithinMs, (error) => {
      if (isUnreadable(error)) this.counts.unreadable++;
      else this.giveUp(error);
    });
  }

  static async open(options: StandingOptions): Promise<RedisStanding> {
    let standing: RedisStanding | undefined;
    const onLost = (error: Error, lost: RedisLink) => standing?.giveUp(error, lost);
    const link = await connectToRedis(options.url, CONNECT_WITHIN_MS, onLost);
    try {
      const opened = new RedisStanding(options, link);
      const { version = "" } = await within(CONNECT_WITHIN_MS, opened.#ask(link, "look"));
      if (Number.parseInt(version, 10) < OLDEST_REDIS) {
        throw new Error(`it is version ${version}, and ${OLDEST_REDIS} is the oldest that will do`);
      }
      const sentAtMs = options.clock.monotonicMs();
      opened.#hear(await within(CONNECT_WITHIN_MS, opened.#ask(link, "beat")), sentAtMs);
      // Others may be starting at the same time.
      opened.#beatLater(Math.min(options.timing.beatEveryMs, 100));
      standing = opened;
      return opened;
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  /** What this node has admitted of a key. */
  own(keyId: string): OwnAdmissions {
    let own = this.#keys.get(keyId);
    if (own === undefined) {
      own = new OwnAdmissions(keyId);
      this.#keys.set(keyId, own);
    }
    return own;
  }

  get link(): RedisLink {
    return this.#link;
  }

  get nodes(): number {
    return this.#others.size + 1;
  }

  /** Redis's time, as far as known. */
  nowMs(): number {
    return this.#options.clock.monotonicMs() + this.#offsetMs;
  }

  /** Redis is away. What a link says that is no longer in use does not matter. */
  giveUp(error: Error, link = this.#link): void {
    if (this.#isClosed || this.mode === "alone" || link !== this.#link) return;
    const isNew = this.mode === "together";
    this.mode = "alone";
    clearTimeout(this.#beatTimer);
    for (const own of this.#keys.values()) own.unheard = Math.max(0, own.inFlight - 1);
    this.calls.giveUpAll();
    if (isNew) {
      this.counts.outages++;
      this.#options.onAway?.(error);
    }
    void this.#comeBack();
  }

  /** To be called when something may be owed. Unless Redis is away, it is given soon, while requests go on. */
  owe(own: OwnAdmissions): void {
    if (own.owed.length === 0) return;
    this.#owing.add(own);
    // Where one key has lost something, Redis may have lost everything, and a beat tells.
    if (this.mode !== "alone" && !this.#isGiving) this.#beatLater(0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.calls.becomeQuiet(LATE_WITHIN_MS);
    this.#isClosed = true;
    clearTimeout(this.#beatTimer);
    const leave = async () => {
      await this.#give(this.#link);
      await leaveNodes(this.#link, this.#nodeId);
    };
    try {
      if (this.mode !== "alone") await within(this.#options.timing.beatWithinMs, leave());
    } catch {
      // Redis is away; the beats that do not come will tell.
    } finally {
      this.#link.destroy();
      this.calls.close();
    }
  }

  /** Until nothing is owed, or the link is no longer in use; rejects where Redis fails, and then all is owed still. */
  async #give(link: RedisLink): Promise<void> {
    while (this.#owing.size > 0 && link === this.#link && this.mode !== "alone") {
      this.#isGiving = true;
      const startedAt = performance.now();
      const some = this.#owing.values().take(KEYS_AT_ONCE).toArray();
      await Promise.all(some.map((own) => this.#giveBatch(link, own)));
      // Others count in this Redis meanwhile, and are to find it free half of the time.
      await sleep(performance.now() - startedAt, undefined, { ref: false });
    }
    this.#isGiving = false;
  }

  async #giveBatch(link: RedisLink, own: OwnAdmissions): Promise<void> {
    own.batch ??= { name: `${this.#nodeId}:${++this.#batches}`, times: own.owed.splice(0, BATCH_SIZE) };
    const { name, times } = own.batch;
    try {
      await mergeAdmissions(link, { keyId: own.keyId, admissions: times, lastUsedAt: undefined }, name);
      this.counts.givenBack += times.length;
    } catch (error) {
      // It is dropped where foreign data stands under the key's name.
      if (!isUnreadable(error)) throw error;
    }
    if (own.batch?.name === name) own.batch = undefined;
    if (own.batch === undefined && own.owed.length === 0) this.#owing.delete(own);
  }

  #ask(link: RedisLink, how: "beat" | "look" | "mark", knownMs?: number): Promise<Beat> {
    return beat(link, how, { nodeId: this.#nodeId, goneAfterMs: this.#options.timing.goneAfterMs }, knownMs);
  }

  #beatLater(inMs = this.mode === "settling" ? SETTLE_EVERY_MS : this.#options.timing.beatEveryMs): void {
    clearTimeout(this.#beatTimer);
    this.#beatTimer = setTimeout(() => void this.#beat(), inMs).unref();
  }

  async #beat(): Promise<void> {
    const link = this.#link;
    try {
      if (this.mode === "settling") await this.#give(link);
      const sentAtMs = this.#options.clock.monotonicMs();
      const heard = await within(this.#options.timing.beatWithinMs, this.#ask(link, "beat", this.#told.atMs));
      if (this.#isClosed || this.mode === "alone" || link !== this.#link) return;
      if (this.#findLoss(heard, false) !== undefined) throw new Error("Redis has lost what it had counted");
      this.#hear(heard, sentAtMs);
      await this.#give(link);
      this.#beatLater();
    } catch (error) {
      this.giveUp(error as Error, link);
    }
  }

  #hear({ nowMs, runId, alive }: Beat, sentAtMs: number): void {
    const { timing, clock, onBack } = this.#options;
    // Redis read its clock after this moment, so its time is never taken to be earlier than it is.
    this.#offsetMs = nowMs - sentAtMs;
    this.#told = { atMs: nowMs, runId };
    const others = new Set(alive.keys());
    others.delete(this.#nodeId);
    if (this.mode === "settling") {
      const isBack = (id: string) => (alive.get(id) ?? 0) >= this.#returned.atMs;
      const isWaitOver = clock.monotonicMs() - this.#returned.monotonicMs >= timing.goneAfterMs;
      if (!isWaitOver && !others.union(this.#others).values().every(isBack)) return;
      this.mode = "together";
      for (const own of this.#keys.values()) own.unheard = 0;
      onBack?.();
    }
    this.#others = others;
    if (nowMs < this.#dropIdleAtMs) return;
    this.#dropIdleAtMs = nowMs + DROP_IDLE_EVERY_MS;
    for (const [keyId, own] of this.#keys) if (own.isIdle(nowMs)) this.#keys.delete(keyId);
  }

  /** From which moment on Redis may lack what this node has admitted; undefined where it lacks nothing. */
  #findLoss({ beforeMs, runId }: Beat, isNewLink: boolean): number | undefined {
    if (beforeMs === undefined) return 0;
    if (beforeMs < this.#told.atMs) return beforeMs;
    // Another process has read what the last one wrote down, perhaps not all of it. A user that may not ask must suppose so.
    const isOther = runId === undefined || this.#told.runId === undefined ? isNewLink : runId !== this.#told.runId;
    return isOther ? beforeMs : undefined;
  }

  async #comeBack(): Promise<void> {
    const { probeEveryMs } = this.#options.timing;
    for (let waitMs = Math.min(20, probeEveryMs); !this.#isClosed; waitMs = probeEveryMs) {
      await sleep(waitMs, undefined, { ref: false });
      if (this.#isClosed) return;
      const onLost = (error: Error, lost: RedisLink) => this.giveUp(error, lost);
      const link = await connectToRedis(this.#options.url, PROBE_WITHIN_MS, onLost).catch(() => undefined);
      if (link === undefined) continue;
      try {
        await this.#join(link);
        return;
      } catch {
        link.destroy();
      }
    }
  }

  /** Counts in Redis again over a new link, within the share; rejects where Redis fails, and then the node is still alone. */
  async #join(link: RedisLink): Promise<void> {
    const { clock, timing } = this.#options;
    // Redis can be reached; the answers to what was asked before come now if ever.
    await this.calls.becomeQuiet(LATE_WITHIN_MS);
    this.#link.destroy();
    const sentAtMs = clock.monotonicMs();
    const seen = await within(ANSWER_WITHIN_MS, this.#ask(link, "look"));
    const lostFromMs = this.#findLoss(seen, true);
    if (lostFromMs !== undefined) {
      this.counts.losses++;
      for (const own of this.#keys.values()) {
        own.oweFrom(lostFromMs, this.nowMs());
        this.owe(own);
      }
    }
    // From here on Redis knows that this loss is being made good, and shows that it can be written to.
    const { nowMs, runId } = await within(ANSWER_WITHIN_MS, this.#ask(link, "mark"));
    if (this.#isClosed) throw new Error("the node is closed");
    this.#told = { atMs: nowMs - timing.goneAfterMs - 1, runId };
    this.#offsetMs = seen.nowMs - sentAtMs;
    this.#returned = { atMs: seen.nowMs, monotonicMs: clock.monotonicMs() };
    this.#link = link;
    this.mode = "settling";
    void this.#beat();
  }
}
