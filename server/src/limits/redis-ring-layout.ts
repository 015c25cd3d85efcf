/**
 * How the ring of one key lies in Redis, and what scripts share in reading it.
 *
 * What always holds: the ring and its lane contain the times of all admissions `first … next - 1`, oldest first, never decreasing. Those
 * before `first` have left the longest window and those before `past` the minute; an admission stops counting at t + window exactly, in
 * whole milliseconds. A clock that goes back, after a failover or a correction, stands still at the newest admission
 * until it has caught up, so that nothing counts for too short a time.
 *
 * How: `first`, `past` and `next` are numbers of admissions. Eight of them are a block; number n is in block ⌊n / 8⌋ mod capacity, or, while its
 * block is not full, in the tail. In both, a time is the low 32 bits of epoch milliseconds, which repeat after 49 days; what is older than
 * a day and a minute is gone with the key. As `redis-cli GETRANGE lineup:{key_…} 0 85` shows it, big-endian:
 *
 *     byte 0  time of `first` (6 bytes)   24  ticket of the lane: its number (6),   38  first   50  capacity, in blocks (2)
 *          6  time of `past` (6)              2, the number of this layout (1),     42  past    52  where marks begin (2)
 *         12  expiry of the ring (6)          and whose it is (1)                   46  next    54  the tail (32)
 *         18  time of the newest (6)      32  expiry of the lane (6)                            86  the blocks
 *
 * A lane (redis-ring-script.ts) is a string of its own, which there is while its expiry in the head is not 0. It holds a mark of 4 bytes for each
 * admission since the head was written: how many milliseconds were left to the lane. The mark's time is the lane's expiry less that, and no less
 * than the time before it. A ring whose lane was lost counts as lost with it, as a whole, because then nodes notice and give everything
 * back. A lane that has expired only held what has left.
 */
import { createHash } from "node:crypto";
import { MINUTE_MS, TIER_NAMES, TIERS } from "@lineup/api/tiers";

export const HEAD_BYTES = 54;
export const HEAD_FORMAT = ">I6I6I6I6I6I2I6I4I4I4I2I2";
export const TICKET_AT = 24;
export const TICKET_BYTES = 8;
/** Whose a lane is, is written with the number of this layout before it. */
export const KINDS = 2 * 256;
export const BLOCK_SIZE = 8;
export const BLOCK_BYTES = 32;
/** The head and the tail. */
export const TOP_BYTES = HEAD_BYTES + BLOCK_BYTES;
/** More are never kept: a decision looks at no more than a limit's worth of the newest. */
export const MOST_ADMISSIONS = Math.max(...TIER_NAMES.map((tier) => TIERS[tier].perDay));

export const WRAP = 2 ** 32;

export interface RedisScript {
  readonly text: string;
  readonly sha: string;
}

export function makeScript(text: string): RedisScript {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
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

export function laneName(keyId: string): string {
  return `lineup:{${keyId}}:lane`;
}

export function addressName(bucket: string): string {
  return `lineup:address:${bucket}`;
}

/** The time now, in milliseconds. Only tests, which cannot set Redis's clock, give one. */
export const CLOCK_LUA = `
local function readClock(given)
  if given then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/** Reads the ring but for its blocks. Its expiry is 0 where there is none. */
export const HEAD_LUA = `
local call, decode, encode = redis.call, struct.unpack, struct.pack
local h = call('GETRANGE', KEYS[1], '0', '${TOP_BYTES - 1}')
local oldest, minuteOldest, expireAt, newest, laneNumber, kind, laneUntil, first, past, next, capacity, marked = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
local tail = ''
if #h == ${TOP_BYTES} then
  oldest, minuteOldest, expireAt, newest, laneNumber, kind, laneUntil, first, past, next, capacity, marked = decode('${HEAD_FORMAT}', h)
  tail = h:sub(${HEAD_BYTES + 1}, ${HEAD_BYTES} + next % ${BLOCK_SIZE} * 4)
  if kind < ${KINDS} or kind >= ${KINDS + 256} then expireAt, laneNumber, laneUntil, kind = 0, 0, 0, 0 end
end`;

/** Puts the marks of the lane, if there is one, into the tail. */
export const MARKS_LUA = `
if laneUntil > 0 then
  local marks = call('GET', KEYS[1] .. ':lane')
  if not marks then
    expireAt = 0
  elseif #marks > marked then
    local count = (#marks - marked) / 4
    local times = { decode('>' .. string.rep('I4', count), marks, marked + 1) }
    for index = 1, count do
      if laneUntil - times[index] > newest then newest = laneUntil - times[index] end
      times[index] = newest
    end
    next = next + count
    tail = tail .. encode('>' .. string.rep('I4', count), unpack(times, 1, count))
  end
end`;

/** Reads `time`, that of an admission by its `number`. Stands on what was read, and on now. */
const TIME_LUA = `
  local bytes, position = tail, #tail + 1 - 4 * (next - number)
  if position < 1 then
    local offset = ${TOP_BYTES} + math.floor(number / ${BLOCK_SIZE}) % capacity * ${BLOCK_BYTES} + 4 * (number % ${BLOCK_SIZE})
    bytes, position = call('GETRANGE', KEYS[1], string.format('%d', offset), string.format('%d', offset + 3)), 1
  end
  local time = now - (now - decode('>I4', bytes, position)) % ${WRAP}`;

export const READING_LUA = `
local function at(number)
  ${TIME_LUA}
  return time
end`;

/**
 * Moves `first` and `past`, with their times, to where they belong now: mostly by one, and else in a few reads of four bytes, however much has
 * left. Functions are made only where they are needed, for making them costs more than the step.
 */
export function leavingLua(longestWindowMs: number): string {
  return `
local isFar = false
${steppingLua("first", "oldest", longestWindowMs)}
${steppingLua("past", "minuteOldest", MINUTE_MS)}
if isFar then
  ${READING_LUA}
  local function leave(number, window)
    local low, high, step = number, number + 1, 1
    local time = at(high)
    while now - time >= window do
      low, step = high, step * 2
      high = math.min(low + step, next - 1)
      time = at(high)
    end
    while high - low > 1 do
      local middle = math.floor((low + high) / 2)
      local between = at(middle)
      if now - between >= window then low = middle else high, time = middle, between end
    end
    return high, time
  end
  if first < next and now - oldest >= ${longestWindowMs} then first, oldest = leave(first, ${longestWindowMs}) end
  if past < next and now - minuteOldest >= ${MINUTE_MS} then past, minuteOldest = leave(past, ${MINUTE_MS}) end
end`;
}

function steppingLua(cursor: string, oldest: string, windowMs: number): string {
  return `
if ${cursor} < next and now - ${oldest} >= ${windowMs} then
  if now - newest >= ${windowMs} then
    ${cursor}, ${oldest} = next, 0
  else
    local number = ${cursor} + 1
    ${TIME_LUA}
    if now - time < ${windowMs} then ${cursor}, ${oldest} = number, time else isFar = true end
  end
end`;
}

/** Some blocks as they are. Stands on capacity. */
export const BLOCKS_LUA = `
local function readBlocks(from, count)
  if count == 0 then return '' end
  local start = from % capacity
  local fitting = math.min(count, capacity - start)
  local offset = ${TOP_BYTES} + start * ${BLOCK_BYTES}
  local blocks = redis.call('GETRANGE', KEYS[1], offset, offset + fitting * ${BLOCK_BYTES} - 1)
  if fitting == count then return blocks end
  return blocks .. redis.call('GETRANGE', KEYS[1], ${TOP_BYTES}, ${TOP_BYTES} + (count - fitting) * ${BLOCK_BYTES} - 1)
end`;

/** The capacity for some blocks and half as many again, as far as ever needed, that fills one of the allocator's sizes (four to a doubling). */
export function sizingLua(mostAdmissions: number): string {
  return `
local function findCapacity(blocks)
  local wanted = math.max(blocks, math.min(math.max(4, math.ceil(blocks * 1.5)), ${Math.ceil(mostAdmissions / BLOCK_SIZE) + 1}))
  local bytes, step = ${TOP_BYTES + 16} + wanted * ${BLOCK_BYTES}, 16
  while step * 8 < bytes do step = step * 2 end
  return math.floor((math.ceil(bytes / step) * step - ${TOP_BYTES + 16}) / ${BLOCK_BYTES})
end`;
}

/** What scripts answer with where nothing was counted: the time, the counts, and when the decisive admissions were made. */
export const COUNTS_FORMAT = ">I6I4I4I6I6";
