/**
 * What stands in Redis, and the script that counts.
 *
 * A key has a list of the times of its admissions, oldest first, which expires when the newest has left the day; an address has one that
 * expires after its minute. A time is stored as epoch milliseconds modulo 2^31, for which a list needs 6 bytes. Those repeat after 24 days, and
 * nothing in a list is older than a day, so an age is exact. Beside its list a key has a state, which stays: the last use and, for a list of the
 * length named there, where the minute begins in it and when the oldest admissions of both windows were made. Mostly that decides without
 * a look into the list; where the length is another, the list is searched.
 *
 * What always holds: times in a list never decrease. An admission stops counting at t + window exactly, in whole milliseconds. A clock that goes
 * back, after a failover or a correction, stands still at the newest admission until it has caught up. A refused request writes nothing.
 */
import {
  ADDRESS_LIMIT_PER_MINUTE,
  DAY_MS,
  MINUTE_MS,
  TIER_NAMES,
  TIERS,
  type Tier,
  type TierLimits,
} from "@lineup/api/tiers";
import { makeScript, type RedisLink, type RedisScript } from "./redis-link.ts";
import type { WindowReading } from "./windows.ts";

/** With the number of this layout. */
const PREFIX = "lineup:2:";
export const NODES_NAME = `${PREFIX}nodes`;
/** Times are stored modulo this. */
export const WRAP = 2 ** 31;

/** All names of one key share a slot of a cluster, by the tag in braces. */
export function timesName(keyId: string): string {
  return `${PREFIX}{${keyId}}`;
}

export function stateName(keyId: string): string {
  return `${PREFIX}{${keyId}}:state`;
}

export function addressName(bucket: string): string {
  return `${PREFIX}address:${bucket}`;
}

/** Last use, length of the list, index of the minute's oldest, time of the day's oldest and of the minute's: all big-endian. */
export const STATE_FORMAT = ">I6I4I4I6I6";

/** Reads the clock (tests, which cannot set it, tell the time), the state, and what is needed to look into the list. */
export function openListLua(toldMs: string, hasState = true): string {
  return `
local times, call = KEYS[1], redis.call
local state = ${hasState ? "times .. ':state'" : "nil"}
local now = tonumber(${toldMs})
if not now then
  local time = call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local length = call('LLEN', times)
local lastUse, seenLength, past, oldest, minuteOldest = 0, 0, 0, 0, 0
local saved = state and call('GET', state)
if saved then lastUse, seenLength, past, oldest, minuteOldest = struct.unpack('${STATE_FORMAT}', saved) end
local isKnown = seenLength == length
local function ageAt(index) return (now - call('LINDEX', times, string.format('%d', index))) % ${WRAP} end
if isKnown then
  now = math.max(now, lastUse)
elseif length > 0 then
  local age = ageAt(-1)
  if age > ${WRAP / 2} then now = now + ${WRAP} - age end
end
-- The first admission, not before 'from', that is younger than an age, and its own age: mostly 'from' itself or the next.
local function findYounger(from, limitAge, ageOfFrom)
  local low, high, step, found = from, from, 1, 0
  while high < length do
    local age = ageOfFrom or ageAt(high)
    if age < limitAge then found = age break end
    low, high, step, ageOfFrom = high + 1, high + step, step * 2, nil
  end
  if high > length then high = length end
  while low < high do
    local middle = math.floor((low + high) / 2)
    local age = ageAt(middle)
    if age < limitAge then high, found = middle, age else low = middle + 1 end
  end
  return low, found
end`;
}

/**
 * Name: the list; those of one key share a slot of a cluster, so the script may make the state's from it. Arguments: "peek" to count nothing, and the
 * time in tests. The limits stand in the text, because reading them from arguments would cost more than deciding. The list lives for a
 * minute more than its window, so that it need be touched but once a minute.
 */
function makeCountScript({ perMinute, perDay }: TierLimits, longestMs: number): RedisScript {
  return makeScript(`
${openListLua("ARGV[2]", longestMs === DAY_MS)}
local first, dayAge = findYounger(0, ${longestMs}, isKnown and now - oldest)
local minuteAge = now - minuteOldest
if not isKnown or past <= first then past, minuteAge = first, dayAge end
past, minuteAge = findYounger(past, ${MINUTE_MS}, minuteAge)
local minuteCount, dayCount = length - past, length - first
local admitted = minuteCount < ${perMinute} and dayCount < ${perDay}
if admitted and ARGV[1] ~= 'peek' then
  call('RPUSH', times, string.format('%d', now % ${WRAP}))
  if first > 0 then call('LTRIM', times, first, '-1') end
  if not isKnown or length == 0 or math.floor(now / ${MINUTE_MS}) > math.floor(lastUse / ${MINUTE_MS}) then
    call('PEXPIREAT', times, string.format('%d', now + ${longestMs + MINUTE_MS}))
  end
  minuteCount, dayCount = minuteCount + 1, dayCount + 1
  if state then call('SET', state, struct.pack('${STATE_FORMAT}', now, dayCount, past - first, now - dayAge, now - minuteAge)) end
end
-- More than the limit count where a tier was lowered.
if minuteCount > ${perMinute} then minuteAge = ageAt(length - ${perMinute}) end
if dayCount > ${perDay} then dayAge = ageAt(length - ${perDay}) end
return { admitted and 1 or 0, now, minuteCount, minuteAge, dayCount, dayAge }
`);
}

const KEY_SCRIPTS = Object.fromEntries(
  TIER_NAMES.map((tier) => [tier, makeCountScript(TIERS[tier], DAY_MS)]),
) as Record<Tier, RedisScript>;
const ADDRESS_LIMITS = { perMinute: ADDRESS_LIMIT_PER_MINUTE, perDay: ADDRESS_LIMIT_PER_MINUTE };
const ADDRESS_SCRIPT = makeCountScript(ADDRESS_LIMITS, MINUTE_MS);

/** What a script has decided, in Redis's time. */
export interface Reading {
  readonly admitted: boolean;
  readonly nowMs: number;
  readonly minute: WindowReading;
  readonly day: WindowReading;
}

/** Admits a request of a key, or only looks whether it would be. `toldMs` is for tests, which cannot set Redis's clock. */
export function countKey(
  link: RedisLink,
  how: "take" | "peek",
  keyId: string,
  tier: Tier,
  ...toldMs: number[]
): Promise<Reading> {
  const args = how === "take" && toldMs.length === 0 ? [] : [how, ...toldMs.map(String)];
  return link.run(KEY_SCRIPTS[tier], [timesName(keyId)], args).then(toReading);
}

/** Of the reading, the minute matters. */
export function countAddress(link: RedisLink, bucket: string): Promise<Reading> {
  return link.run(ADDRESS_SCRIPT, [addressName(bucket)]).then(toReading);
}

function toReading(reply: unknown): Reading {
  const [admitted = 0, nowMs = 0, minuteCount = 0, minuteAgeMs = 0, dayCount = 0, dayAgeMs = 0] = reply as number[];
  return {
    admitted: admitted === 1,
    nowMs,
    minute: { count: minuteCount, decisiveAgeMs: minuteAgeMs },
    day: { count: dayCount, decisiveAgeMs: dayAgeMs },
  };
}

/**
 * Which nodes count in this Redis: a sorted set of their names by the time of their last beat, on Redis's clock.
 *
 * What always holds: a node beats only when it owes Redis nothing, so a beat says "what I admitted before it is in the lists".
 * A node unheard of for five seconds no longer counts as one; its last beat stays for as long as anything it has
 * admitted can count, because by it a node learns what Redis has forgotten: a Redis that started empty knows no beat of it, one that started
 * from an old copy knows an older one than the node remembers.
 */
const REMEMBER_MS = DAY_MS + 5 * MINUTE_MS;

/**
 * Arguments: the node, what to do, after how long others are gone, and the beat that Redis must still know for the node to beat, if any.
 * Answers with the time, the node's beat before this one, what Redis says of itself if this user may ask, and all nodes that are alive.
 */
const BEAT_SCRIPT = makeScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('ZSCORE', KEYS[1], ARGV[1])
if ARGV[2] ~= 'look' and (ARGV[4] == '' or (before and tonumber(before) >= tonumber(ARGV[4]))) then
  redis.call('ZADD', KEYS[1], ARGV[2] == 'mark' and now - ARGV[3] - 1 or now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${REMEMBER_MS})
  redis.call('PEXPIRE', KEYS[1], ${REMEMBER_MS})
end
local info = redis.pcall('INFO', 'server')
local alive = redis.call('ZRANGE', KEYS[1], now - ARGV[3], '+inf', 'BYSCORE', 'WITHSCORES')
return { now, before or '', type(info) == 'string' and info or '', unpack(alive) }
`);

export interface Beat {
  /** Redis's time. */
  readonly nowMs: number;
  /** When this node was last heard of before, as far as Redis knows. */
  readonly beforeMs: number | undefined;
  /** Another one after every start of Redis; undefined where this user may not ask. */
  readonly runId: string | undefined;
  readonly version: string | undefined;
  /** When each node that is alive was last heard of, this one included where it has beaten. */
  readonly alive: ReadonlyMap<string, number>;
}

/**
 * "beat" says that this node lives and owes nothing, unless Redis no longer knows its beat at `knownMs`. "look" sees the same and is no
 * sign of life. "mark" is a beat too old to be a sign of life: Redis knows the node again, and may be given what it lacks.
 */
export async function beat(
  link: RedisLink,
  how: "beat" | "look" | "mark",
  { nodeId, goneAfterMs }: { readonly nodeId: string; readonly goneAfterMs: number },
  knownMs?: number,
): Promise<Beat> {
  const args = [nodeId, how, String(goneAfterMs), knownMs === undefined ? "" : String(knownMs)];
  const reply = await link.run(BEAT_SCRIPT, [NODES_NAME], args);
  const [nowMs, before, info, ...rest] = reply as [number, string, string, ...string[]];
  const alive = new Map<string, number>();
  for (let index = 0; index + 1 < rest.length; index += 2) alive.set(rest[index] ?? "", Number(rest[index + 1]));
  const beforeMs = before === "" ? undefined : Number(before);
  const [, runId] = /^run_id:(\S+)/m.exec(info) ?? [];
  const [, version] = /^redis_version:(\S+)/m.exec(info) ?? [];
  return { nowMs, beforeMs, runId, version, alive };
}

/** A node that stops in order is gone at once. */
export async function leaveNodes(link: RedisLink, nodeId: string): Promise<void> {
  await link.send(NODES_NAME, ["ZREM", NODES_NAME, nodeId]);
}
