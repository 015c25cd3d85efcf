/** What is known of keys beyond their record: how they stand, when they were last used and by how much. */
import type { KeyState, KeyView } from "@lineup/api/dashboard/keys";
import { DAY_MS, type Tier } from "@lineup/api/tiers";
import type { ApiKey } from "../access/key-admin.ts";
import { readHours } from "../request-log/key-usage.ts";
import type { DashboardTools } from "./context.ts";

export const HOUR_MS = 3_600_000;
const RECENT_HOURS = 36;
/** How long before its end a key is said to expire soon. */
export const SOON_MS = 14 * DAY_MS;

export interface KeyStanding {
  readonly now: number;
  /** Whether one of its windows has nothing left. */
  readonly isLimited: boolean;
  readonly lastUsedAt: number | null;
}

/** The first that applies, in the order in which the states are said. */
export function judgeState(
  { revokedAt, expiresAt, successorId }: Pick<ApiKey, "revokedAt" | "expiresAt" | "successorId">,
  { now, isLimited, lastUsedAt }: KeyStanding,
): KeyState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && expiresAt <= now) return "expired";
  if (successorId !== null) return "rotating";
  if (isLimited) return "rate limited";
  if (expiresAt !== null && expiresAt - now <= SOON_MS) return "expires soon";
  return lastUsedAt === null ? "never used" : "active";
}

export function hasEnded({ revokedAt, expiresAt }: Pick<ApiKey, "revokedAt" | "expiresAt">, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

/** Keys as the dashboard lists them. All are of one organization. */
export async function describeKeys(
  tools: DashboardTools,
  orgId: string,
  tier: Tier,
  keys: readonly ApiKey[],
  now: number,
): Promise<KeyView[]> {
  const thisHour = Math.floor(now / HOUR_MS);
  const [lastUses, limited, hours, makers] = await Promise.all([
    readLastUses(tools, orgId, keys),
    findLimited(tools, tier, keys, now),
    readRecentHours(tools, orgId, thisHour),
    tools.identity.nameOf(keys.map(({ createdBy }) => createdBy).filter((maker) => maker.startsWith("user_"))),
  ]);
  return keys.map((key) => {
    const lastUsedAt = lastUses.get(key.id) ?? null;
    return {
      id: key.id,
      name: key.name,
      shownPrefix: key.shownPrefix,
      permissions: [...key.permissions],
      state: judgeState(key, { now, isLimited: limited.has(key.id), lastUsedAt }),
      createdBy: makers.get(key.createdBy) ?? nameMaker(key.createdBy),
      createdAt: key.createdAt,
      expiresAt: key.expiresAt,
      revokedAt: key.revokedAt,
      successorId: key.successorId,
      lastUsedAt,
      recentHours: hours.get(key.id) ?? new Array<number>(RECENT_HOURS).fill(0),
    };
  });
}

/** A person whose account is gone has left only an id. */
function nameMaker(createdBy: string): string {
  return createdBy.startsWith("user_") ? "a former user" : createdBy;
}

/** By the limits' own memory; for keys that it does not know, to the hour, by how much they were used. */
async function readLastUses(
  { limiter, store }: DashboardTools,
  orgId: string,
  keys: readonly ApiKey[],
): Promise<Map<string, number>> {
  const lastUses = new Map(await limiter.readLastUsed(keys.map(({ id }) => id)));
  const unknown = keys.filter(({ id }) => !lastUses.has(id)).map(({ id }) => id);
  if (unknown.length === 0) return lastUses;
  const rows = await store
    .org(orgId)
    .selectFrom("key_usage")
    .select(["key_id", ({ fn }) => fn.max<number>("hour").as("hour")])
    .where("key_id", "in", unknown)
    .groupBy("key_id")
    .execute();
  for (const row of rows) lastUses.set(row.key_id, Number(row.hour) * HOUR_MS);
  return lastUses;
}

/** Keys of which a window has nothing left. Those that have ended are not asked about. */
async function findLimited(
  { limiter }: DashboardTools,
  tier: Tier,
  keys: readonly ApiKey[],
  now: number,
): Promise<Set<string>> {
  const verdicts = await Promise.all(
    keys.filter((key) => !hasEnded(key, now)).map(async ({ id }) => ({ id, verdict: await limiter.peek(id, tier) })),
  );
  return new Set(verdicts.filter(({ verdict }) => !verdict.admitted).map(({ id }) => id));
}

/** Requests in each of the last hours, oldest first, by key. */
async function readRecentHours(
  { store }: DashboardTools,
  orgId: string,
  thisHour: number,
): Promise<Map<string, number[]>> {
  const fromHour = thisHour - RECENT_HOURS + 1;
  const byKey = new Map<string, number[]>();
  for (const { keyId, hour, answered, refused, failed } of await readHours(store, orgId, { fromHour })) {
    const hours = byKey.get(keyId) ?? new Array<number>(RECENT_HOURS).fill(0);
    byKey.set(keyId, hours);
    const index = hour - fromHour;
    if (index >= 0 && index < RECENT_HOURS) hours[index] = (hours[index] ?? 0) + answered + refused + failed;
  }
  return byKey;
}

/** Requests of the last 24 hours, the one under way included. */
export function sumLastDay(
  hours: readonly {
    readonly hour: number;
    readonly answered: number;
    readonly refused: number;
    readonly failed: number;
  }[],
  now: number,
): number {
  const fromHour = Math.floor(now / HOUR_MS) - 23;
  return hours
    .filter(({ hour }) => hour >= fromHour)
    .reduce((total, { answered, refused, failed }) => total + answered + refused + failed, 0);
}
