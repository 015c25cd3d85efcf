/**
 * How this node stands to Redis and to the other nodes:
 *
 *     together   Redis decides. Beats once a second tell Redis that the node lives, and the node how many there are.
 *     alone      Redis is away, or has lost what it knew: the node decides within its share, and asks in the background.
 *     settling   Redis is back and has been given all that this node owed, but other nodes may still be alone: Redis and the share
 *                must both admit. Together again when every node it knew has beaten since, or is gone.
 *
 * What always holds: nobody waits for Redis in `alone`. A node leaves it only when it owes nothing. Whatever Redis lacks
 * during `settling` was admitted within shares, and so is whatever is admitted then; so the sum keeps within the limit
 * while nodes return one after the other, also to a Redis that is empty. Redis's time is taken from beats, the node's monotonic clock
 * carries it on, and nobody's wall clock matters.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import { Debts } from "./redis-debts.ts";
import { connectToRedis, type RedisLink, type RedisServer, within } from "./redis-link.ts";
import { MERGE_SCRIPT } from "./redis-merge-script.ts";
import { type Beat, beat, leaveNodes, lookAtNodes, markNode, NODES_NAME } from "./redis-nodes.ts";
import type { OwnAdmissions } from "./redis-own-admissions.ts";
import { ADDRESS_SCRIPT, TAKE_SCRIPTS } from "./redis-ring-script.ts";

const SCRIPTS = [...Object.values(TAKE_SCRIPTS), ADDRESS_SCRIPT, MERGE_SCRIPT];

export interface StandingOptions {
  readonly url: string;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly timing: RedisTiming;
  /** All that this node has admitted. */
  readonly keys: ReadonlyMap<string, OwnAdmissions>;
  /** The node is alone from now on: whoever waits for Redis must be answered. */
  onAlone(): void;
  /** Settles when the answers that were still to come have come, or will not. */
  lateAnswers(): Promise<void>;
  onAway(error: Error): void;
  onBack(): void;
}

export interface RedisTiming {
  /** A request that has waited this long is decided alone. */
  readonly decideWithinMs: number;
  readonly beatEveryMs: number;
  readonly settleEveryMs: number;
  /** A beat may take longer than a request: nobody waits for it. */
  readonly beatWithinMs: number;
  readonly goneAfterMs: number;
  readonly probeEveryMs: number;
  /** For a connection to be made. */
  readonly probeWithinMs: number;
  /** Who takes longer than this is not back yet; less than a request may take, lest Redis come and go. */
  readonly answerWithinMs: number;
}

export class RedisStanding {
  readonly #options: StandingOptions;
  readonly debts: Debts;
  readonly counts = { outages: 0, losses: 0 };
  mode: "together" | "alone" | "settling" = "settling";
  #link: RedisLink;
  #server: RedisServer | undefined;
  #nodes = 1;
  #others = new Set<string>();
  #offsetMs = 0;
  #lastBeatMs: number | undefined;
  #returned = { atMs: 0, monotonicMs: 0 };
  #isAway = false;
  #isClosed = false;
  #isGiving = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: StandingOptions, link: RedisLink) {
    this.#options = options;
    this.#link = link;
    this.debts = new Debts(options.nodeId);
  }

  static async open(options: StandingOptions, connectWithinMs: number): Promise<RedisStanding> {
    let standing: RedisStanding | undefined;
    const link = await connectToRedis({
      url: options.url,
      timeoutMs: connectWithinMs,
      onLost: (error) => standing?.giveUp(error, link),
    });
    try {
      const opened = new RedisStanding(options, link);
      await within(connectWithinMs, link.load(SCRIPTS));
      opened.#server = await within(connectWithinMs, link.readServer(NODES_NAME));
      opened.#hear(
        await within(connectWithinMs, beat(link, opened.#beatOptions, undefined)),
        options.clock.monotonicMs(),
      );
      // A node that has admitted nothing yet has nothing to settle.
      opened.mode = "together";
      // Others may be starting at the same time.
      opened.#beatLater(Math.min(options.timing.beatEveryMs, 100));
      standing = opened;
      return opened;
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  get link(): RedisLink {
    return this.#link;
  }

  get nodes(): number {
    return this.#nodes;
  }

  get serverVersion(): string | undefined {
    return this.#server?.version;
  }

  /** Redis's time, as far as known. */
  nowMs(): number {
    return this.#options.clock.monotonicMs() + this.#offsetMs;
  }

  /** Redis is away. What a link says that is no longer in use does not matter. */
  giveUp(error: Error, link = this.#link): void {
    if (this.#isClosed || this.mode === "alone" || link !== this.#link) return;
    this.mode = "alone";
    clearTimeout(this.#timer);
    this.#options.onAlone();
    if (!this.#isAway) {
      this.#isAway = true;
      this.counts.outages++;
      this.#options.onAway(error);
    }
    void this.#comeBack();
  }

  /** Redis misses some of what was admitted, and is given it while requests go on. */
  giveSoon(): void {
    if (this.#isGiving || this.mode === "alone") return;
    this.#isGiving = true;
    const link = this.#link;
    this.debts
      .give(link, () => link !== this.#link || this.mode === "alone")
      .catch((error: Error) => this.giveUp(error, link))
      .finally(() => {
        this.#isGiving = false;
        if (!this.debts.isEmpty) this.giveSoon();
      });
    // Where one key has lost something, Redis may have lost everything.
    this.#beatLater(0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { beatWithinMs } = this.#options.timing;
    try {
      if (this.mode === "alone") return;
      await within(
        beatWithinMs,
        this.debts.give(this.#link, () => false),
      );
      await within(beatWithinMs, leaveNodes(this.#link, this.#options.nodeId));
    } catch {
      // Redis is away; the beats that do not come will tell.
    } finally {
      this.#link.destroy();
    }
  }

  get #beatOptions() {
    return { nodeId: this.#options.nodeId, goneAfterMs: this.#options.timing.goneAfterMs };
  }

  #beatLater(inMs?: number): void {
    const { beatEveryMs, settleEveryMs } = this.#options.timing;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#beat(), inMs ?? (this.mode === "settling" ? settleEveryMs : beatEveryMs));
    this.#timer.unref();
  }

  /** The first beat after a return is one that Redis need not know a former one for. */
  async #beat(isFirst = false): Promise<void> {
    const link = this.#link;
    const sentAtMs = this.#options.clock.monotonicMs();
    try {
      const known = isFirst ? undefined : this.#lastBeatMs;
      const answers = Promise.all([beat(link, this.#beatOptions, known), link.readServer(NODES_NAME)]);
      const [heard, server] = await within(this.#options.timing.beatWithinMs, answers);
      if (this.#isClosed || this.mode === "alone" || link !== this.#link) return;
      if (!isFirst && this.#findLoss(heard, server, false) !== undefined) {
        this.giveUp(new Error("Redis has lost what it had counted"), link);
        return;
      }
      this.#hear(heard, sentAtMs);
      this.#beatLater();
    } catch (error) {
      this.giveUp(error as Error, link);
    }
  }

  #hear(heard: Beat, sentAtMs: number): void {
    const { nodeId, timing, clock } = this.#options;
    // Redis read its clock after this moment, so its time is never taken to be earlier than it is.
    this.#offsetMs = heard.nowMs - sentAtMs;
    this.#lastBeatMs = heard.nowMs;
    const others = new Map(heard.alive);
    others.delete(nodeId);
    if (this.mode === "settling" && this.#isAway) {
      for (const id of this.#others) if (!others.has(id)) others.set(id, Number.NEGATIVE_INFINITY);
      const isEverybodyBack = others.values().every((atMs) => atMs >= this.#returned.atMs);
      const isWaitOver = clock.monotonicMs() - this.#returned.monotonicMs >= timing.goneAfterMs;
      if (!isEverybodyBack && !isWaitOver) return;
      this.mode = "together";
      this.#isAway = false;
      this.#options.onBack();
    }
    this.#others = new Set(heard.alive.keys());
    this.#others.delete(nodeId);
    this.#nodes = this.#others.size + 1;
  }

  /** From which moment on Redis may lack what this node has admitted; undefined where it lacks nothing. */
  #findLoss({ beforeMs }: Beat, server: RedisServer | undefined, isNewLink: boolean): number | undefined {
    if (beforeMs === undefined) return 0;
    if (this.#lastBeatMs !== undefined && beforeMs < this.#lastBeatMs) return beforeMs;
    // Another process has read what the last one wrote down, perhaps not all of it. Who may not ask must suppose so.
    const isOther =
      server === undefined || this.#server === undefined ? isNewLink : server.runId !== this.#server.runId;
    return isOther ? beforeMs : undefined;
  }

  #oweFrom(momentMs: number): void {
    this.counts.losses++;
    const nowMs = this.nowMs();
    for (const own of this.#options.keys.values()) {
      own.oweFrom(momentMs, nowMs);
      this.debts.add(own);
    }
  }

  async #comeBack(): Promise<void> {
    const { probeEveryMs } = this.#options.timing;
    for (let waitMs = Math.min(20, probeEveryMs); !this.#isClosed; waitMs = probeEveryMs) {
      await sleep(waitMs, undefined, { ref: false });
      if (this.#isClosed || (await this.#tryToComeBack())) return;
    }
  }

  async #tryToComeBack(): Promise<boolean> {
    const { url, timing, clock } = this.#options;
    let link: RedisLink | undefined;
    try {
      const made = await connectToRedis({
        url,
        timeoutMs: timing.probeWithinMs,
        onLost: (error) => link !== undefined && this.giveUp(error, link),
      });
      link = made;
      await within(timing.probeWithinMs, link.load(SCRIPTS));
      // Redis answers; the answers to what was asked before come now if ever.
      await this.#options.lateAnswers();
      this.#link.destroy();
      const sentAtMs = clock.monotonicMs();
      const answers = Promise.all([lookAtNodes(link, this.#beatOptions), link.readServer(NODES_NAME)]);
      const [seen, server] = await within(timing.answerWithinMs, answers);
      const lostFromMs = this.#findLoss(seen, server, true);
      if (lostFromMs !== undefined) this.#oweFrom(lostFromMs);
      // From here on Redis knows that this loss is being made good, and shows that it can be written to.
      this.#lastBeatMs = await within(timing.answerWithinMs, markNode(link, this.#beatOptions));
      this.#server = server;
      await this.debts.give(link, () => this.#isClosed || made.isDestroyed);
      if (this.#isClosed || made.isDestroyed) throw new Error("closed");
      this.#offsetMs = seen.nowMs - sentAtMs;
      this.#returned = { atMs: seen.nowMs, monotonicMs: clock.monotonicMs() };
      this.#link = link;
      this.mode = "settling";
      void this.#beat(true);
      return true;
    } catch {
      link?.destroy();
      return false;
    }
  }
}
