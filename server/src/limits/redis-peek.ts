/**
 * Looks at keys in Redis without counting anything: how full their windows are, when they were last used. Whoever looks is
 * never kept waiting long and never gets an error: while Redis is away, or slow to answer, the node's own counts are shown.
 * Whether Redis is away is for requests to find out; a look changes nothing about that.
 */
import { DAY_MS, TIERS, type Tier } from "@lineup/api/tiers";
import { readLastUsed } from "./redis-admissions.ts";
import { type RedisLink, within } from "./redis-link.ts";
import { OwnAdmissions } from "./redis-own-admissions.ts";
import {
  CLOCK_LUA,
  COUNTS_FORMAT,
  HEAD_LUA,
  leavingLua,
  MARKS_LUA,
  makeScript,
  READING_LUA,
  ringName,
} from "./redis-ring-layout.ts";
import type { RedisStanding } from "./redis-standing.ts";
import { readTakeReply } from "./redis-take-place.ts";
import { hasRoom, keyVerdict, type Verdict } from "./windows.ts";

/** A page waits this long for Redis; longer than a request does, for nobody is refused by it. */
const LOOK_WITHIN_MS = 250;

/** What the take script answers where a window is full, whether or not one is. Limits are arguments: this is not asked often. */
export const PEEK_SCRIPT = makeScript(`
local perMinute, perDay = tonumber(ARGV[1]), tonumber(ARGV[2])
${HEAD_LUA}
${MARKS_LUA}
${CLOCK_LUA}
local now = readClock(ARGV[3])
if now >= expireAt then return encode('${COUNTS_FORMAT}', now, 0, 0, 0, 0) end
now = math.max(now, newest)
${leavingLua(DAY_MS)}
${READING_LUA}
if next - past > perMinute then minuteOldest = at(next - perMinute) end
if next - first > perDay then oldest = at(next - perDay) end
return encode('${COUNTS_FORMAT}', now, next - past, next - first, minuteOldest, oldest)
`);

type Standing = Pick<RedisStanding, "mode" | "link" | "nodes" | "nowMs">;
type OwnKeys = ReadonlyMap<string, OwnAdmissions>;

export async function peekKey(standing: Standing, keys: OwnKeys, keyId: string, tier: Tier): Promise<Verdict> {
  if (standing.mode === "together") {
    try {
      return await within(LOOK_WITHIN_MS, readVerdict(standing.link, keyId, tier));
    } catch {
      // The node's own counts are the next best.
    }
  }
  const own = keys.get(keyId) ?? new OwnAdmissions(keyId);
  return own.peekAlone(TIERS[tier], standing.nodes, standing.nowMs());
}

async function readVerdict(link: RedisLink, keyId: string, tier: Tier): Promise<Verdict> {
  const limits = TIERS[tier];
  const reply = await link.run(PEEK_SCRIPT, [ringName(keyId)], [String(limits.perMinute), String(limits.perDay)]);
  const { minuteCount, minuteAgeMs, longestCount, longestAgeMs, nowMs } = readTakeReply(reply as Buffer);
  return keyVerdict(
    hasRoom(minuteCount, longestCount, limits),
    limits,
    { count: minuteCount, decisiveAgeMs: minuteAgeMs },
    { count: longestCount, decisiveAgeMs: longestAgeMs },
    nowMs,
  );
}

/** In epoch milliseconds; keys that were never used are left out. */
export async function peekLastUses(
  standing: Standing,
  keys: OwnKeys,
  keyIds: readonly string[],
): Promise<Map<string, number>> {
  if (standing.mode === "together") {
    try {
      return await within(LOOK_WITHIN_MS, readLastUsed(standing.link, keyIds));
    } catch {
      // As above.
    }
  }
  const known = keyIds.map((keyId) => [keyId, keys.get(keyId)?.ring.newestMs ?? Number.NaN] as const);
  return new Map(known.filter(([, newestMs]) => Number.isFinite(newestMs)));
}
