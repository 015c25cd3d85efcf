/**
 * Puts admissions into a ring in Redis that were counted elsewhere: by a node while Redis was away, or by another engine before a move.
 *
 * What always holds: the merged ring is in order, nothing in it is later than now, and it keeps the newest that any tier's limit can ask for.
 * What has left the day is dropped. Given back by a node, every time is added, for another node may have admitted in the same
 * millisecond; a batch carries its node's name and a number that grows, and one whose number is not above the last is not added again, so
 * that a node may repeat itself until it hears an answer. Imported, a time is added only as often as the ring lacks it, so
 * that the same import may be repeated.
 *
 * Only what is as new as the oldest given time is decoded; blocks before that are copied as they are. Cursors are left where the next
 * request will find them due.
 */
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import {
  BLOCK_BYTES,
  BLOCK_SIZE,
  BLOCKS_LUA,
  CLOCK_LUA,
  HEAD_BYTES,
  MOST_ADMISSIONS,
  makeScript,
  READING_LUA,
  sizingLua,
} from "./redis-ring-script.ts";

const WRAP = 2 ** 32;
const TIME_BYTES = 6;
/** What has been given back is remembered for as long as it can count. */
const REMEMBER_MS = DAY_MS + 2 * MINUTE_MS;

/**
 * Names: the ring, its last use, what was given. Arguments: the node ("" for an import), the number of the batch, the times, 6 bytes
 * each and in order, the last use ("" for none beyond the times), and, in tests, the time now.
 */
export const MERGE_SCRIPT = makeScript(`
local call = redis.call
local node, packed = ARGV[1], ARGV[3]
if node ~= '' and tonumber(call('HGET', KEYS[3], node) or 0) >= tonumber(ARGV[2]) then return 0 end
${CLOCK_LUA}
local now = readClock(ARGV[5])
local h = call('GETRANGE', KEYS[1], '0', '${HEAD_BYTES - 1}')
local oldest, capacity, first, next, newest, expireAt = 0, 0, 0, 0, 0, 0
if #h == ${HEAD_BYTES} then
  expireAt = struct.unpack('>I6', h, 11)
  if now < expireAt then
    oldest, capacity = struct.unpack('>I4', h), struct.unpack('>I2', h, 9)
    first, next, newest = struct.unpack('>I4', h, 21), struct.unpack('>I4I4', h, 29)
    local back = (newest - now) % ${WRAP}
    if back < ${WRAP / 2} then now = now + back end
  end
end
local function age(time) return (now - time) % ${WRAP} end
${READING_LUA}
${BLOCKS_LUA}
${sizingLua(MOST_ADMISSIONS)}
local given = {}
for position = 1, #packed, ${TIME_BYTES} do
  local time = math.min(struct.unpack('>I6', packed, position), now)
  if now - time < ${DAY_MS} then given[#given + 1] = time end
end
local lastUse = math.max(tonumber(ARGV[4]) or 0, given[#given] or 0)
if lastUse > tonumber(call('GET', KEYS[2]) or 0) then call('SET', KEYS[2], string.format('%d', lastUse)) end
if node ~= '' then
  call('HSET', KEYS[3], node, ARGV[2])
  call('PEXPIRE', KEYS[3], ${REMEMBER_MS})
end
if #given == 0 then return 0 end

local low, high = first, next
while low < high do
  local middle = math.floor((low + high) / 2)
  if now - age(at(middle)) >= given[1] then high = middle else low = middle + 1 end
end
local from, kept = math.floor(first / ${BLOCK_SIZE}), 0
if low - ${BLOCK_SIZE} > first then kept = math.floor((low - ${BLOCK_SIZE}) / ${BLOCK_SIZE}) - from end
local start = kept > 0 and (from + kept) * ${BLOCK_SIZE} or first
local full = math.floor(next / ${BLOCK_SIZE}) * ${BLOCK_SIZE}
local firstRead = math.floor(start / ${BLOCK_SIZE})
local raw = readBlocks(firstRead, math.max(0, full / ${BLOCK_SIZE} - firstRead))
local existing = {}
for number = start, next - 1 do
  local time
  if number >= full then
    time = at(number)
  else
    local inRaw = math.floor(number / ${BLOCK_SIZE}) - firstRead
    time = struct.unpack('>I4', raw, inRaw * ${BLOCK_BYTES} + 4 * (${BLOCK_SIZE - 1} - number % ${BLOCK_SIZE}) + 1)
  end
  existing[#existing + 1] = now - age(time)
end

local merged, left, right, added = {}, 1, 1, 0
while left <= #existing or right <= #given do
  local a, b = existing[left], given[right]
  if b == nil or (a ~= nil and a <= b) then
    merged[#merged + 1], left = a, left + 1
    if node == '' and a == b then right = right + 1 end
  else
    merged[#merged + 1], right, added = b, right + 1, added + 1
  end
end
if added == 0 then return 0 end

local blocks = kept > 0 and readBlocks(from, kept) or ''
first = kept > 0 and first - from * ${BLOCK_SIZE} or 0
if kept == 0 then oldest = merged[1] end
next = kept * ${BLOCK_SIZE} + #merged
local pieces = { blocks }
for number = kept * ${BLOCK_SIZE}, next - ${BLOCK_SIZE}, ${BLOCK_SIZE} do
  local i = number - kept * ${BLOCK_SIZE}
  pieces[#pieces + 1] = struct.pack('>I4I4I4I4I4I4I4I4', ${reversedTimes("i")})
end
blocks = table.concat(pieces)
local count = #blocks / ${BLOCK_BYTES}
local excess = next - first - ${MOST_ADMISSIONS}
if excess > 0 then
  first = first + excess
  local dropped = math.floor(first / ${BLOCK_SIZE})
  blocks, count = blocks:sub(dropped * ${BLOCK_BYTES} + 1), count - dropped
  first, next = first - dropped * ${BLOCK_SIZE}, next - dropped * ${BLOCK_SIZE}
  oldest = struct.unpack('>I4', blocks, 4 * (${BLOCK_SIZE - 1} - first) + 1)
end
local last = ''
for back = 0, ${BLOCK_SIZE - 1} do last = last .. struct.pack('>I4', (merged[#merged - back] or 0) % ${WRAP}) end
capacity = count > 0 and findCapacity(count) or 0
expireAt = now + ${DAY_MS + MINUTE_MS}
oldest = oldest % ${WRAP}
h = struct.pack('>I4I4I2I6I4I4I4I4c32', oldest, oldest, capacity, expireAt, ${WRAP - 1}, first, first, next, last)
call('SET', KEYS[1], h .. blocks .. string.rep('\\0', (capacity - count) * ${BLOCK_BYTES}), 'PXAT', string.format('%d', expireAt))
return added
`);

/** The times of a block, newest first, after the one at `index` of the merged ones. */
function reversedTimes(index: string): string {
  return Array.from({ length: BLOCK_SIZE }, (_, back) => `merged[${index} + ${BLOCK_SIZE - back}] % ${WRAP}`).join(
    ", ",
  );
}

export function packTimes(times: readonly number[]): Buffer {
  const packed = Buffer.alloc(times.length * TIME_BYTES);
  let bytes = 0;
  for (const time of times) bytes = packed.writeUIntBE(time, bytes, TIME_BYTES);
  return packed;
}
