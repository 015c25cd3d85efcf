/** The plans an organization can be on, and what each of its keys may do in the two rolling windows. */
export const TIER_NAMES = ["Free", "Basic", "Pro", "Enterprise"] as const;

export type Tier = (typeof TIER_NAMES)[number];

export interface TierLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

export const TIERS: Readonly<Record<Tier, TierLimits>> = {
  Free: { perMinute: 10, perDay: 100 },
  Basic: { perMinute: 60, perDay: 1_000 },
  Pro: { perMinute: 300, perDay: 10_000 },
  Enterprise: { perMinute: 1_000, perDay: 100_000 },
};

export const DEFAULT_TIER: Tier = "Free";

/** Requests without a valid key share one window per client address. */
export const ADDRESS_LIMIT_PER_MINUTE = 60;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
