/** What is known of keys beyond their record: how they stand, when they were last used and by how much. */
import type { KeyState, KeyView } from "@lineup/api/dashboard/keys";
import { HOUR_MS, type Tier } from "@lineup/api/tiers";
import { type ApiKey, stateOf } from "../access/key-admin.ts";
import { readHours, type UsageHour } from "../request-log/key-usage.ts";
import { type DashboardTools, type MemberContext, requireOrganizationOf } from "./context.ts";

const RECENT_HOURS = 36;
export function hasEnded(key: ApiKey, now: number): boolean {
  return ["revoked", "expired"].includes(stateOf(key, now));
}

/** Keys of the organization as the dashboard lists them. */
export async function describeKeys(context: MemberContext, keys: readonly ApiKey[]): Promise<KeyView[]> {
  const { tools, orgId, visit } = context;
  const { now } = visit;
  const { tier } = await requireOrganizationOf(tools.store, orgId);
  const [lastUses, limited, hours, makers] = await Promise.all([
    readLastUses(tools, orgId, keys),
    findLimited(tools, tier, keys, now),
    readRecentHours(context),
    tools.identity.nameOf(keys.map(({ createdBy }) => createdBy).filter((maker) => maker.startsWith("user_"))),
  ]);
  return keys.map((key) => {
    const lastUsedAt = lastUses.get(key.id) ?? null;
    return {
      id: key.id,
      name: key.name,
      shownPrefix: key.shownPrefix,
      permissions: [...key.permissions],
      state: judgeState(stateOf(key, now), limited.has(key.id), lastUsedAt),
      // A person whose account is gone has left only an id.
      createdBy: makers.get(key.createdBy) ?? (key.createdBy.startsWith("user_") ? "a former user" : key.createdBy),
      createdAt: key.createdAt,
      expiresAt: key.expiresAt,
      revokedAt: key.revokedAt,
      successorId: key.successorId,
      lastUsedAt,
      recentHours: hours.get(key.id) ?? new Array<number>(RECENT_HOURS).fill(0),
    };
  });
}

/** Beside what commands say: whether one of its windows has nothing left, and whether anybody has used it. */
function judgeState(state: ReturnType<typeof stateOf>, isLimited: boolean, lastUsedAt: number | null): KeyState {
  if (isLimited && (state === "active" || state === "expires soon")) return "rate limited";
  return state === "active" && lastUsedAt === null ? "never used" : state;
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
async function readRecentHours({ tools, orgId, visit }: MemberContext): Promise<Map<string, number[]>> {
  const fromHour = firstHourOf(RECENT_HOURS, visit.now);
  const hours = await readHours(tools.store, orgId, { fromHour });
  const byKey = Map.groupBy(hours, ({ keyId }) => keyId);
  return new Map([...byKey].map(([keyId, own]) => [keyId, sumSteps(own, fromHour, 1, RECENT_HOURS).map(sumOf)]));
}

/** The first of so many hours of which the one under way is the last. */
export function firstHourOf(hours: number, now: number): number {
  return Math.floor(now / HOUR_MS) - hours + 1;
}

/** Requests by what became of them, in steps of so many hours each. */
export function sumSteps(hours: readonly UsageHour[], fromHour: number, stepHours: number, count: number) {
  const steps = Array.from({ length: count }, (_, index) => {
    return { at: (fromHour + index * stepHours) * HOUR_MS, answered: 0, refused: 0, failed: 0 };
  });
  for (const { hour, answered, refused, failed } of hours) {
    const step = steps[Math.floor((hour - fromHour) / stepHours)];
    if (step === undefined) continue;
    step.answered += answered;
    step.refused += refused;
    step.failed += failed;
  }
  return steps;
}

export function sumOf({ answered, refused, failed }: Pick<UsageHour, "answered" | "refused" | "failed">): number {
  return answered + refused + failed;
}
