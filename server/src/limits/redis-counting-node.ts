/** One node that counts in Redis: what it asks, what it makes of the answers, and what it does without them. */
import { TIERS, type Tier, type TierLimits } from "@lineup/api/tiers";
import { RedisAddressWindows } from "./redis-address-windows.ts";
import { type CountedAdmissions, exportAdmissions, forgetKeys, importAdmissions } from "./redis-admissions.ts";
import { type Call, CallsInFlight } from "./redis-calls.ts";
import { isReplyOf } from "./redis-link.ts";
import { OwnAdmissions } from "./redis-own-admissions.ts";
import { peekKey, peekLastUses } from "./redis-peek.ts";
import { RedisStanding, type StandingOptions } from "./redis-standing.ts";
import { type RingReading, takePlace } from "./redis-take-place.ts";
import { keyVerdict, type Verdict } from "./windows.ts";

const KEYS_PER_SWEEP = 256;
const SWEEP_EVERY_MS = 1_000;
/** Late answers come at once when Redis does, or never. */
const LATE_WITHIN_MS = 250;

type NodeOptions = Omit<StandingOptions, "keys" | "onAlone" | "lateAnswers"> & { readonly maxAddresses: number };

export class CountingNode {
  readonly #keys: Map<string, OwnAdmissions>;
  readonly #calls: CallsInFlight;
  readonly #standing: RedisStanding;
  readonly #addresses: RedisAddressWindows;
  readonly #counted = { decidedAlone: 0, doubtful: 0, countedInVain: 0, unreadable: 0 };
  readonly #sweepTimer: NodeJS.Timeout;
  #sweep: Iterator<OwnAdmissions>;
  /** Keys that somebody waited for when Redis went away. */
  #unheard: OwnAdmissions[] = [];

  private constructor(
    keys: Map<string, OwnAdmissions>,
    calls: CallsInFlight,
    standing: RedisStanding,
    options: NodeOptions,
  ) {
    this.#keys = keys;
    this.#calls = calls;
    this.#standing = standing;
    this.#addresses = new RedisAddressWindows(options, standing, calls, (call, error) => this.#fail(call, error));
    this.#sweep = keys.values();
    this.#sweepTimer = setInterval(() => this.#sweepSome(), SWEEP_EVERY_MS);
    this.#sweepTimer.unref();
  }

  static async open(options: NodeOptions, connectWithinMs: number): Promise<CountingNode> {
    const keys = new Map<string, OwnAdmissions>();
    const { decideWithinMs } = options.timing;
    let node: CountingNode | undefined;
    const calls = new CallsInFlight(decideWithinMs, () => {
      if (node !== undefined) node.#standing.giveUp(new Error(`Redis has not answered within ${decideWithinMs} ms`));
    });
    const standing = await RedisStanding.open(
      {
        ...options,
        keys,
        onAlone: () => {
          if (node !== undefined) node.#decideAll();
        },
        lateAnswers: () => calls.becomeQuiet(LATE_WITHIN_MS),
        onBack: () => {
          if (node !== undefined) node.#hearAgain();
          options.onBack();
        },
      },
      connectWithinMs,
    );
    node = new CountingNode(keys, calls, standing, options);
    return node;
  }

  get isDegraded(): boolean {
    return this.#standing.mode !== "together";
  }

  get nodes(): number {
    return this.#standing.nodes;
  }

  get serverVersion(): string | undefined {
    return this.#standing.serverVersion;
  }

  get keyCount(): number {
    return this.#keys.size;
  }

  get counts() {
    const { counts, debts } = this.#standing;
    const { decidedAlone } = this.#counted;
    return {
      ...counts,
      ...this.#counted,
      decidedAlone: decidedAlone + this.#addresses.decidedAlone,
      givenBack: debts.given,
    };
  }

  take(keyId: string, tier: Tier): Verdict | Promise<Verdict> {
    const limits = TIERS[tier];
    const own = this.#own(keyId);
    const { mode, nodes } = this.#standing;
    if (mode === "alone") return this.#takeAlone(own, limits);
    if (mode === "settling" && !own.hasRoomAlone(limits, nodes, this.#standing.nowMs())) {
      this.#counted.decidedAlone++;
      return own.refuseAlone(limits, nodes, this.#standing.nowMs());
    }
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    let owedMs: number | undefined;
    const call = this.#calls.add(() => {
      const verdict = this.#takeAlone(own, limits);
      if (verdict.admitted) owedMs = own.ring.newestMs;
      resolve(verdict);
    });
    own.inFlight++;
    takePlace(this.#standing.link, keyId, tier, own).then(
      (reading) => {
        own.inFlight--;
        if (this.#calls.settle(call)) resolve(this.#hear(own, limits, reading));
        else if (reading.admitted) this.#hearLate(own, owedMs);
      },
      (error: Error) => {
        own.inFlight--;
        this.#fail(call, error);
        if (owedMs !== undefined) this.#counted.doubtful++;
      },
    );
    return promise;
  }

  takeAddress(address: string): Verdict | Promise<Verdict> {
    return this.#addresses.take(address);
  }

  /** By what this node has itself seen of the address. */
  peekAddress(address: string): Verdict {
    return this.#addresses.peek(address);
  }

  peek(keyId: string, tier: Tier): Promise<Verdict> {
    return peekKey(this.#standing, this.#keys, keyId, tier);
  }

  readLastUsed(keyIds: readonly string[]): Promise<Map<string, number>> {
    return peekLastUses(this.#standing, this.#keys, keyIds);
  }

  exportAdmissions(keyIds: Iterable<string>): AsyncIterable<CountedAdmissions> {
    return exportAdmissions(this.#standing.link, keyIds);
  }

  importAdmissions(entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>): Promise<number> {
    return importAdmissions(this.#standing.link, entries);
  }

  async forget(keyId: string): Promise<void> {
    const own = this.#keys.get(keyId);
    if (own !== undefined) this.#standing.debts.forget(own);
    this.#keys.delete(keyId);
    try {
      await forgetKeys(this.#standing.link, [keyId]);
    } catch {
      // Redis is away. The ring goes by itself; a few bytes of the last use stay, of a key that nobody will ask about.
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweepTimer);
    await this.#calls.becomeQuiet(LATE_WITHIN_MS);
    await this.#standing.close();
    this.#calls.decideAll();
    this.#calls.close();
  }

  #own(keyId: string): OwnAdmissions {
    let own = this.#keys.get(keyId);
    if (own === undefined) {
      own = new OwnAdmissions(keyId);
      this.#keys.set(keyId, own);
    }
    return own;
  }

  #hear(own: OwnAdmissions, limits: TierLimits, reading: RingReading): Verdict {
    const isWhole = this.#standing.mode === "together";
    own.hear(reading, isWhole);
    if (isWhole && own.owed.length === 0 && own.batch === undefined) {
      const lost = own.listLost(reading, limits);
      if (lost.length > 0) {
        own.owed = lost;
        this.#standing.debts.add(own);
        this.#standing.giveSoon();
      }
    }
    const minute = { count: reading.minuteCount, decisiveAgeMs: reading.minuteAgeMs };
    const day = { count: reading.longestCount, decisiveAgeMs: reading.longestAgeMs };
    return keyVerdict(reading.admitted, limits, minute, day, reading.nowMs);
  }

  /** Redis has counted a request that was decided alone meanwhile. */
  #hearLate(own: OwnAdmissions, owedMs: number | undefined): void {
    const index = owedMs === undefined ? -1 : own.owed.indexOf(owedMs);
    if (index >= 0) own.owed.splice(index, 1);
    else if (owedMs === undefined) this.#counted.countedInVain++;
    else this.#counted.doubtful++;
  }

  #fail(call: Call, error: Error): void {
    const isInTime = this.#calls.settle(call);
    if (isReplyOf(error, "WRONGTYPE")) this.#counted.unreadable++;
    else if (isInTime) this.#standing.giveUp(error);
    if (isInTime) call.decideAlone();
  }

  #takeAlone(own: OwnAdmissions, limits: TierLimits): Verdict {
    this.#counted.decidedAlone++;
    const verdict = own.takeAlone(limits, this.#standing.nodes, this.#standing.nowMs());
    this.#standing.debts.add(own);
    return verdict;
  }

  /** Redis is away: whoever waits is answered, in the order they came. */
  #decideAll(): void {
    for (const own of this.#keys.values()) {
      if (own.inFlight < 2) continue;
      own.unheard = own.inFlight - 1;
      this.#unheard.push(own);
    }
    this.#calls.decideAll();
  }

  #hearAgain(): void {
    for (const own of this.#unheard) own.unheard = 0;
    this.#unheard = [];
  }

  /** Looks at some keys, going round, and lets go of those of which nothing counts. */
  #sweepSome(): void {
    const nowMs = this.#standing.nowMs();
    for (let looked = 0; looked < KEYS_PER_SWEEP; looked++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#keys.values();
        return;
      }
      if (next.value.isIdle(nowMs)) this.#keys.delete(next.value.keyId);
    }
  }
}
