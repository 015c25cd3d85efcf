/** An organization's keys as the model has them: what each may do, until when, and how much of its windows it has used. */
import { type KeyDescription, keyComponent } from "@lineup/api/me";
import { PERMISSIONS, type Permission } from "@lineup/api/permissions";
import { DAY_MS, MINUTE_MS, TIERS, type Tier } from "@lineup/api/tiers";
import type { ManualClock } from "../manual-clock.ts";

export interface WalkKey {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
  readonly isRotated: boolean;
  /** When its requests were counted, by the clock that only goes forward. A changed key goes on with the same list. */
  readonly counted: number[];
}

/** All that decides what becomes of a key's request. */
export interface Access {
  readonly key: WalkKey;
  readonly orgName: string;
  readonly tier: Tier;
}

/** The address of all walkers is the same, and it has sixty requests a minute without a valid key. */
const REFUSED_A_MINUTE = 5;

export class KeyRing {
  readonly orgId: string;
  readonly #clock: ManualClock;
  readonly #refused: number[] = [];
  /** False where requests are counted elsewhere, by a clock that nobody moves. */
  readonly #countsHere: boolean;
  orgName: string;
  tier: Tier = "Enterprise";
  /** May do everything, and is never changed. */
  readonly main: WalkKey;
  others: WalkKey[] = [];

  constructor(orgId: string, orgName: string, main: WalkKey, clock: ManualClock, countsHere: boolean) {
    this.orgId = orgId;
    this.orgName = orgName;
    this.main = main;
    this.#clock = clock;
    this.#countsHere = countsHere;
  }

  accessOf(key: WalkKey): Access {
    return { key, orgName: this.orgName, tier: this.tier };
  }

  /** Puts a changed key in the place of what it was. */
  replace(before: WalkKey, after: WalkKey): void {
    this.others = this.others.map((one) => (one === before ? after : one));
  }

  /** Why a request is refused before its endpoint is asked; undefined when it is not. */
  refusalOf({ key, tier }: Access, permission: Permission | "any"): string | undefined {
    if (this.#isClosed(key)) return key.isRevoked ? "KEY_REVOKED" : "KEY_EXPIRED";
    if (this.roomOf({ key, tier }) <= 0) return "RATE_LIMIT_EXCEEDED";
    const isAllowed = permission === "any" || key.permissions.includes(permission);
    return isAllowed ? undefined : "INSUFFICIENT_PERMISSIONS";
  }

  /** How many requests the key may make now, or how many more of them can be refused before the address is. */
  roomOf({ key, tier }: Pick<Access, "key" | "tier">): number {
    if (this.#isClosed(key)) return this.refusalsLeft;
    if (!this.#countsHere) return Number.POSITIVE_INFINITY;
    const { perMinute, perDay } = TIERS[tier];
    return Math.min(
      perMinute - this.#within(key.counted, MINUTE_MS).length,
      perDay - this.#within(key.counted, DAY_MS).length,
    );
  }

  get refusalsLeft(): number {
    return REFUSED_A_MINUTE - this.#within(this.#refused, MINUTE_MS).length;
  }

  /** A request by the key, or by nobody, that is refused for this reason or for none. */
  count(key: WalkKey | undefined, refusal: string | undefined): void {
    const list = this.#countedIn(key, refusal);
    list?.push(this.#clock.monotonicMs());
    while (list?.[0] !== undefined && list[0] <= this.#clock.monotonicMs() - DAY_MS) list.shift();
  }

  /** Takes the last count back: it turned out to be another's. */
  uncount(key: WalkKey, refusal: string | undefined): void {
    this.#countedIn(key, refusal)?.pop();
  }

  #countedIn(key: WalkKey | undefined, refusal: string | undefined): number[] | undefined {
    if (refusal === "RATE_LIMIT_EXCEEDED") return undefined;
    const isClosed = key === undefined || refusal === "KEY_REVOKED" || refusal === "KEY_EXPIRED";
    return isClosed ? this.#refused : key.counted;
  }

  /** What GET /me tells a key whose request was counted just now. */
  describe({ key, orgName, tier }: Access): KeyDescription {
    const { perMinute, perDay } = TIERS[tier];
    return {
      id: key.id,
      name: key.name,
      permissions: PERMISSIONS.filter((permission) => key.permissions.includes(permission)),
      expiresAt: key.expiresAt,
      organization: { id: this.orgId, name: orgName },
      tier,
      limits: {
        minute: this.#describeWindow(key, perMinute, MINUTE_MS),
        day: this.#describeWindow(key, perDay, DAY_MS),
      },
    };
  }

  /** What of an answer of GET /me can be held against the model: all of it, but for what is counted elsewhere. */
  comparable(described: unknown): unknown {
    const { limits, ...rest } = keyComponent.schema.parse(described);
    return this.#countsHere ? { ...rest, limits } : rest;
  }

  #describeWindow({ counted }: WalkKey, limit: number, windowMs: number) {
    const within = this.#within(counted, windowMs);
    const leavesAt = (within[0] ?? this.#clock.monotonicMs()) + windowMs;
    const reset = leavesAt - this.#clock.monotonicMs() + this.#clock.wallMs();
    return { limit, remaining: Math.max(0, limit - within.length), reset };
  }

  #isClosed({ isRevoked, expiresAt }: WalkKey): boolean {
    return isRevoked || (expiresAt !== null && expiresAt <= this.#clock.wallMs());
  }

  #within(times: readonly number[], windowMs: number): readonly number[] {
    const from = this.#clock.monotonicMs() - windowMs;
    const first = times.findIndex((time) => time > from);
    return first < 0 ? [] : times.slice(first);
  }
}
