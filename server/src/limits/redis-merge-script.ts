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
  HEAD_FORMAT,
  HEAD_LUA,
  KINDS,
  MARKS_LUA,
  MOST_ADMISSIONS,
  makeScript,
  READING_LUA,
  sizingLua,
  TOP_BYTES,
  WRAP,
} from "./redis-ring-layout.ts";

const BLOCK_FORMAT = `>${"I4".repeat(BLOCK_SIZE)}`;
/** What has been given back is remembered for as long as it can count. */
const REMEMBER_MS = DAY_MS + 2 * MINUTE_MS;

/**
 * Names: the ring, its last use, what was given. Arguments: the node ("" for an import), the number of the batch, the low 32 bits of
 * the times in order, filled up to whole blocks with the last, how many they are, the last use ("" for none beyond the times), and, in tests,
 * the time now.
 */
export const MERGE_SCRIPT = makeScript(`
local node, packed = ARGV[1], ARGV[3]
if node ~= '' and tonumber(redis.call('HGET', KEYS[3], node) or 0) >= tonumber(ARGV[2]) then return 0 end
${CLOCK_LUA}
local now = readClock(ARGV[6])
${HEAD_LUA}
${MARKS_LUA}
if now >= expireAt then
  capacity, first, next, tail = 0, 0, 0, ''
else
  now = math.max(now, newest)
end
${READING_LUA}
${BLOCKS_LUA}
${sizingLua(MOST_ADMISSIONS)}
-- In what follows a time is counted from a day and a minute ago: so its low bits are enough, and have an order.
local base, present = now - ${DAY_MS + MINUTE_MS}, ${DAY_MS + MINUTE_MS}
local function decodeTimes(bytes, list)
  local size = #list
  for position = 1, #bytes, ${BLOCK_BYTES} do
    local a, b, c, d, e, f, g, i = decode('${BLOCK_FORMAT}', bytes, position)
    list[size + 1], list[size + 2], list[size + 3], list[size + 4] = (a - base) % ${WRAP}, (b - base) % ${WRAP}, (c - base) % ${WRAP}, (d - base) % ${WRAP}
    list[size + 5], list[size + 6], list[size + 7], list[size + 8] = (e - base) % ${WRAP}, (f - base) % ${WRAP}, (g - base) % ${WRAP}, (i - base) % ${WRAP}
    size = size + ${BLOCK_SIZE}
  end
end
local given, firstGiven, lastGiven = {}, 1, tonumber(ARGV[4])
decodeTimes(packed, given)
-- What is older than the base has wrapped around to where nothing else can be; what is a little later than now has not.
while firstGiven <= lastGiven and (given[firstGiven] <= ${MINUTE_MS} or given[firstGiven] > ${WRAP / 2}) do firstGiven = firstGiven + 1 end
for index = lastGiven, firstGiven, -1 do
  if given[index] <= present then break end
  given[index] = present
end
local lastUse = math.max(tonumber(ARGV[5]) or 0, firstGiven <= lastGiven and given[lastGiven] + base or 0)
if lastUse > tonumber(call('GET', KEYS[2]) or 0) then call('SET', KEYS[2], string.format('%d', lastUse)) end
if node ~= '' then
  call('HSET', KEYS[3], node, ARGV[2])
  call('PEXPIRE', KEYS[3], ${REMEMBER_MS})
end
if firstGiven > lastGiven then return 0 end

local low, high = first, next
while low < high do
  local middle = math.floor((low + high) / 2)
  local time = (at(middle) - base) % ${WRAP}
  if time < ${WRAP / 2} and time >= given[firstGiven] then high = middle else low = middle + 1 end
end
local from, full = math.floor(first / ${BLOCK_SIZE}), (next - #tail / 4) / ${BLOCK_SIZE}
local kept = math.max(0, math.min(math.floor((low - ${BLOCK_SIZE}) / ${BLOCK_SIZE}), full) - from)
local firstRead = from + kept
local existing = {}
if full > firstRead then decodeTimes(readBlocks(firstRead, full - firstRead), existing) end
for number = math.max(full, firstRead) * ${BLOCK_SIZE}, next - 1 do existing[#existing + 1] = (at(number) - base) % ${WRAP} end
local left, right, size, added, merged = kept == 0 and first % ${BLOCK_SIZE} + 1 or 1, firstGiven, 0, 0, {}
local a, b = existing[left], given[right]
while b do
  size = size + 1
  if a and (a <= b or a >= ${WRAP / 2}) then
    merged[size], left = a, left + 1
    if node == '' and a == b then
      right = right + 1
      b = right <= lastGiven and given[right] or nil
    end
    a = existing[left]
  else
    merged[size], right, added = b, right + 1, added + 1
    b = right <= lastGiven and given[right] or nil
  end
end
for index = left, #existing do
  size = size + 1
  merged[size] = existing[index]
end
if added == 0 then return 0 end

local pieces = { readBlocks(from, kept) }
for index = 1, size - ${BLOCK_SIZE - 1}, ${BLOCK_SIZE} do
  pieces[#pieces + 1] = encode('${BLOCK_FORMAT}', ${blockOfTimes("index")})
end
local blocks = table.concat(pieces)
local count = #blocks / ${BLOCK_BYTES}
first, next = kept > 0 and first - from * ${BLOCK_SIZE} or 0, kept * ${BLOCK_SIZE} + size
local excess = next - first - ${MOST_ADMISSIONS}
if excess > 0 then
  local dropped = math.floor((first + excess) / ${BLOCK_SIZE})
  blocks, count = blocks:sub(dropped * ${BLOCK_BYTES} + 1), count - dropped
  first, next = first + excess - dropped * ${BLOCK_SIZE}, next - dropped * ${BLOCK_SIZE}
end
local rest = {}
for index = size - next % ${BLOCK_SIZE} + 1, size do rest[#rest + 1] = encode('>I4', merged[index] + base) end
tail = table.concat(rest)
newest = merged[size] + base
local oldestBytes = first * 4 < #blocks and blocks:sub(first * 4 + 1, first * 4 + 4) or tail:sub(first * 4 - #blocks + 1)
oldest = newest - (newest - decode('>I4', oldestBytes)) % ${WRAP}
capacity = count > 0 and findCapacity(count) or 0
expireAt = now + ${DAY_MS + MINUTE_MS}
h = encode('${HEAD_FORMAT}c0', oldest, oldest, expireAt, newest, laneNumber, ${KINDS}, 0, first, first, next, capacity, 0, tail)
h = h .. string.rep('\\0', ${TOP_BYTES} - #h)
call('SET', KEYS[1], h .. blocks .. string.rep('\\0', (capacity - count) * ${BLOCK_BYTES}), 'PXAT', string.format('%d', expireAt))
if laneUntil > 0 then call('UNLINK', KEYS[1] .. ':lane') end
return added
`);

/** What goes with the merge script; the times must be in order. */
export function mergeArguments(
  from: { readonly node: string; readonly batch: number } | "import",
  times: readonly number[],
  lastUsedAt?: number,
): (string | Buffer)[] {
  const packed = Buffer.alloc(Math.ceil(times.length / BLOCK_SIZE) * BLOCK_BYTES);
  for (let index = 0; index * 4 < packed.length; index++) {
    packed.writeUInt32BE((times[Math.min(index, times.length - 1)] ?? 0) % WRAP, index * 4);
  }
  const [node, batch] = from === "import" ? ["", 0] : [from.node, from.batch];
  return [node, String(batch), packed, String(times.length), lastUsedAt === undefined ? "" : String(lastUsedAt)];
}

/** The times of a block that begins with the one at `index` of the merged ones. */
function blockOfTimes(index: string): string {
  return Array.from({ length: BLOCK_SIZE }, (_, place) => `merged[${index} + ${place}] + base`).join(", ");
}
