/**
 * The ring of one key in Redis, and the script that takes a place in it: the clock is Redis's own, one round trip decides and
 * counts, and nothing of the ring is read but the few bytes that decide.
 *
 * What always holds: the string contains the times of all admissions `first … next - 1`, oldest first, never decreasing. Those before
 * `first` have left the longest window and those before `past` the minute; an admission stops counting at t + window exactly, in
 * whole milliseconds. A clock that goes back, after a failover or a correction, stands still at the newest admission
 * until it has caught up, so that nothing counts for too short a time. A refused request writes nothing.
 *
 * How: a time is the low 32 bits of epoch milliseconds, which repeat after 49 days; what is older than a day and a minute
 * is gone with the key. As `redis-cli GETRANGE lineup:{key_…} 0 63` shows it, big-endian:
 *
 *     byte 0  time of `first`          10  expiry of the key (6 bytes)   24  past      32  the last eight times, newest first
 *          4  time of `past`           16  quiet                         28  next      64  the blocks
 *          8  capacity, in blocks (2)  20  first
 *
 * `first`, `past` and `next` are numbers of admissions. Eight of them, newest first, are a block; number n is in block ⌊n / 8⌋ mod capacity.
 * The last eight are in the head as well, and a block is written when it is full: so an admission costs one read and one
 * write of the head, and every eighth a second write. While more milliseconds are `left` to the key than are `quiet`, nothing can have left a window
 * and nothing else is due; then the clock is the expiry less what is left, which costs half of what asking for the time does.
 * Else the cursors gallop to where they belong: a few reads of four bytes, however much has left.
 *
 * Capacity grows by half and shrinks when three quarters are unused, in sizes that fill what the allocator hands out anyway. The key
 * lives for a minute more than its window, is touched once a minute at most, and writes down with it when it was last used, under
 * a second name in the same slot.
 */
import { createHash } from "node:crypto";
import {
  ADDRESS_LIMIT_PER_MINUTE,
  DAY_MS,
  MINUTE_MS,
  TIER_NAMES,
  TIERS,
  type Tier,
  type TierLimits,
} from "@lineup/api/tiers";

export const HEAD_BYTES = 64;
export const BLOCK_SIZE = 8;
export const BLOCK_BYTES = 32;
/** More are never kept: a decision looks at no more than a limit's worth of the newest. */
export const MOST_ADMISSIONS = Math.max(...TIER_NAMES.map((tier) => TIERS[tier].perDay));

const WRAP = 2 ** 32;

export interface RedisScript {
  readonly text: string;
  readonly sha: string;
}

/** All names of one key share a slot, by the tag in braces. */
export function ringName(keyId: string): string {
  return `lineup:{${keyId}}`;
}

/** When the key was last used, for longer than the ring lives. */
export function lastUseName(keyId: string): string {
  return `lineup:{${keyId}}:used`;
}

/** What nodes have given back, so that giving it twice counts it once. */
export function givenName(keyId: string): string {
  return `lineup:{${keyId}}:given`;
}

export function addressName(bucket: string): string {
  return `lineup:address:${bucket}`;
}

export function makeScript(text: string): RedisScript {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** The time now, in milliseconds. Only tests, which cannot set Redis's clock, give one. */
export const CLOCK_LUA = `
local function readClock(given)
  if given then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/** The time of an admission by its number. Stands on h, next and capacity. */
export const READING_LUA = `
local function at(number)
  if number >= next - ${BLOCK_SIZE} then return (struct.unpack('>I4', h, ${HEAD_BYTES / 2 + 1} + 4 * (next - 1 - number))) end
  local offset = ${HEAD_BYTES} + math.floor(number / ${BLOCK_SIZE}) % capacity * ${BLOCK_BYTES} + 4 * (${BLOCK_SIZE - 1} - number % ${BLOCK_SIZE})
  return (struct.unpack('>I4', redis.call('GETRANGE', KEYS[1], offset, offset + 3)))
end`;

/**
 * Moves `first` and `past`, with their times, to where they belong now: a few reads of four bytes, however much has left.
 * Stands on now, newest, oldest, minuteOldest, and on what reading stands on.
 */
export function leavingLua(longestWindowMs: number): string {
  return `
local function leave(number, time, window)
  if (now - newest) % ${WRAP} >= window then return next, 0 end
  local low, high, step = number, number + 1, 1
  time = at(high)
  while (now - time) % ${WRAP} >= window do
    low, step = high, step * 2
    high = math.min(low + step, next - 1)
    time = at(high)
  end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    local between = at(middle)
    if (now - between) % ${WRAP} >= window then low = middle else high, time = middle, between end
  end
  return high, time
end
if first < next and (now - oldest) % ${WRAP} >= ${longestWindowMs} then
  first, oldest = leave(first, oldest, ${longestWindowMs})
end
if past < next and (now - minuteOldest) % ${WRAP} >= ${MINUTE_MS} then
  past, minuteOldest = leave(past, minuteOldest, ${MINUTE_MS})
end`;
}

/** Some blocks as they are. Stands on capacity. */
export const BLOCKS_LUA = `
local function readBlocks(from, count)
  if count == 0 then return '' end
  local start = from % capacity
  local fitting = math.min(count, capacity - start)
  local offset = ${HEAD_BYTES} + start * ${BLOCK_BYTES}
  local blocks = redis.call('GETRANGE', KEYS[1], offset, offset + fitting * ${BLOCK_BYTES} - 1)
  if fitting == count then return blocks end
  return blocks .. redis.call('GETRANGE', KEYS[1], ${HEAD_BYTES}, ${HEAD_BYTES} + (count - fitting) * ${BLOCK_BYTES} - 1)
end`;

/** The capacity for some blocks and half as many again, as far as ever needed, that fills one of the allocator's sizes (four to a doubling). */
export function sizingLua(mostAdmissions: number): string {
  return `
local function findCapacity(blocks)
  local wanted = math.max(blocks, math.min(math.max(4, math.ceil(blocks * 1.5)), ${Math.ceil(mostAdmissions / BLOCK_SIZE) + 1}))
  local bytes, step = ${HEAD_BYTES + 16} + wanted * ${BLOCK_BYTES}, 16
  while step * 8 < bytes do step = step * 2 end
  return math.floor((math.ceil(bytes / step) * step - ${HEAD_BYTES + 16}) / ${BLOCK_BYTES})
end`;
}

interface RingShape {
  readonly limits: TierLimits;
  readonly longestWindowMs: number;
  readonly mostAdmissions: number;
  readonly keepsLastUse: boolean;
}

/** The limits stand in the text, for reading them from arguments would be a tenth of the cost. */
function makeTakeScript({ limits, longestWindowMs, mostAdmissions, keepsLastUse }: RingShape): RedisScript {
  return makeScript(`
local key, call, given = KEYS[1], redis.call, ARGV[1]
local h = call('GETRANGE', key, '0', '${HEAD_BYTES - 1}')
local now, left, expireAt, quiet, first, past, next, newest
if #h == ${HEAD_BYTES} then
  expireAt, quiet, first, past, next, newest = struct.unpack('>I6I4I4I4I4I4', h, 11)
  left = given and expireAt - given or call('PTTL', key)
  now = (expireAt - left) % ${WRAP}
  if left > quiet and (now - newest) % ${WRAP} < ${WRAP / 2}
      and next - past < ${limits.perMinute} and next - first < ${limits.perDay} then
    local new = struct.pack('>c28I4I4c28', h, next + 1, now, h:sub(33))
    if next % ${BLOCK_SIZE} < ${BLOCK_SIZE - 1} then
      call('SETRANGE', key, '0', new)
      return new
    end
    local block, capacity = (next - ${BLOCK_SIZE - 1}) / ${BLOCK_SIZE}, struct.unpack('>I2', h, 9)
    if block - math.floor(first / ${BLOCK_SIZE}) < capacity then
      call('SETRANGE', key, '0', new)
      call('SETRANGE', key, string.format('%d', ${HEAD_BYTES} + block % capacity * ${BLOCK_BYTES}), new:sub(33))
      return new
    end
  end
end
local oldest, minuteOldest, capacity = 0, 0, 0
if left and left > ${longestWindowMs} then
  now = expireAt - left
else
  ${CLOCK_LUA}
  now = readClock(given)
end
local isNew = not left or now >= expireAt
if isNew then
  h, first, past, next = string.rep('\\0', ${HEAD_BYTES}), 0, 0, 0
else
  oldest, minuteOldest, capacity = struct.unpack('>I4I4I2', h)
  local back = (newest - now) % ${WRAP}
  if back < ${WRAP / 2} then now = now + back end
end
${READING_LUA}
${leavingLua(longestWindowMs)}
if next - past >= ${limits.perMinute} or next - first >= ${limits.perDay} then
  if next - past > ${limits.perMinute} then minuteOldest = at(next - ${limits.perMinute}) end
  if next - first > ${limits.perDay} then oldest = at(next - ${limits.perDay}) end
  return struct.pack('>I6I4I4I4I4', now, next - past, next - first, minuteOldest, oldest)
end
newest = now % ${WRAP}
if past == next then minuteOldest = newest end
if first == next then oldest = newest end
next = next + 1
local isDue = isNew or now >= expireAt - ${longestWindowMs}
if isDue then
  expireAt = now + ${longestWindowMs + MINUTE_MS}
  ${keepsLastUse ? "call('SET', key .. ':used', string.format('%d', now))" : ""}
end
quiet = math.max(${longestWindowMs}, expireAt - now - ${MINUTE_MS} + (now - minuteOldest) % ${WRAP},
  expireAt - now - ${longestWindowMs} + (now - oldest) % ${WRAP})
local block = next / ${BLOCK_SIZE} - 1
local from = math.floor(first / ${BLOCK_SIZE})
local needed = next % ${BLOCK_SIZE} == 0 and block - from + 1 or 0
local isRebuilt = needed > capacity or (needed > 0 and capacity > 16 and needed * 4 <= capacity)
local blocks
if isRebuilt then
  ${BLOCKS_LUA}
  ${sizingLua(mostAdmissions)}
  blocks = readBlocks(from, needed - 1)
  capacity = findCapacity(needed)
  first, past, next = first - from * ${BLOCK_SIZE}, past - from * ${BLOCK_SIZE}, next - from * ${BLOCK_SIZE}
end
h = struct.pack('>I4I4I2I6I4I4I4I4I4c28', oldest, minuteOldest, capacity, expireAt, quiet, first, past, next, newest, h:sub(33))
if isRebuilt then
  blocks = h .. blocks .. h:sub(33) .. string.rep('\\0', (capacity - needed) * ${BLOCK_BYTES})
  call('SET', key, blocks, 'PXAT', string.format('%d', expireAt))
elseif isNew then
  call('SET', key, h, 'PXAT', string.format('%d', expireAt))
else
  call('SETRANGE', key, '0', h)
  if needed > 0 then call('SETRANGE', key, ${HEAD_BYTES} + block % capacity * ${BLOCK_BYTES}, h:sub(33)) end
  if isDue then call('PEXPIREAT', key, string.format('%d', expireAt)) end
end
return h
`);
}

export const TAKE_SCRIPTS: Readonly<Record<Tier, RedisScript>> = Object.fromEntries(
  TIER_NAMES.map((tier) => [
    tier,
    makeTakeScript({
      limits: TIERS[tier],
      longestWindowMs: DAY_MS,
      mostAdmissions: MOST_ADMISSIONS,
      keepsLastUse: true,
    }),
  ]),
) as Record<Tier, RedisScript>;

export const ADDRESS_SCRIPT = makeTakeScript({
  limits: { perMinute: ADDRESS_LIMIT_PER_MINUTE, perDay: ADDRESS_LIMIT_PER_MINUTE },
  longestWindowMs: MINUTE_MS,
  mostAdmissions: ADDRESS_LIMIT_PER_MINUTE,
  keepsLastUse: false,
});

/** What the script has decided, in Redis's time. Ages are those of the decisive admissions; zero where nothing counts. */
export interface RingReading {
  readonly admitted: boolean;
  readonly nowMs: number;
  readonly minuteCount: number;
  readonly minuteAgeMs: number;
  readonly longestCount: number;
  readonly longestAgeMs: number;
}

/** The script answers with the new head, or, shorter, with what is full. */
export function readTakeReply(reply: Buffer): RingReading {
  if (reply.length === HEAD_BYTES) {
    const expireAtMs = reply.readUIntBE(10, 6);
    const nowMs = expireAtMs - ((expireAtMs - reply.readUInt32BE(32)) >>> 0);
    const next = reply.readUInt32BE(28);
    return {
      admitted: true,
      nowMs,
      minuteCount: next - reply.readUInt32BE(24),
      minuteAgeMs: (nowMs - reply.readUInt32BE(4)) >>> 0,
      longestCount: next - reply.readUInt32BE(20),
      longestAgeMs: (nowMs - reply.readUInt32BE(0)) >>> 0,
    };
  }
  const nowMs = reply.readUIntBE(0, 6);
  const minuteCount = reply.readUInt32BE(6);
  const longestCount = reply.readUInt32BE(10);
  return {
    admitted: false,
    nowMs,
    minuteCount,
    minuteAgeMs: minuteCount === 0 ? 0 : (nowMs - reply.readUInt32BE(14)) >>> 0,
    longestCount,
    longestAgeMs: longestCount === 0 ? 0 : (nowMs - reply.readUInt32BE(18)) >>> 0,
  };
}
