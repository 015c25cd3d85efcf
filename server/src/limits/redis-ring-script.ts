/**
 * The script that takes a place in a key's ring (redis-ring-layout.ts): the clock is Redis's own, one round trip decides and counts, and
 * nothing of the ring is read but the few bytes that decide. A refused request writes nothing.
 *
 * What always holds: exactly the limit is admitted in either window, whichever tier's script asks, whatever a node has heard or missed, and
 * however the clock goes.
 *
 * How: mostly it is known beforehand that the next requests will be admitted, because there is room and nothing leaves a window for a while.
 * Then they go by a lane: a string that expires a longest window after something leaves, and whose length is full when the room is used up. So
 * while more than that window is left to it and it is not full, a request puts a mark into it and is admitted, and what was left is its time as
 * well: three calls of the cheapest kind and hardly any Lua, which is what costs. A node that has seen the head since the lane was opened knows the
 * rest of the answer, and shows the lane's ticket; it holds as long as it stands in the head. Who has no ticket is shown the head.
 *
 * When a lane is over or full, or another tier's script asks, its marks go into the ring and it is gone. The cursors gallop to where they
 * belong, and another lane is opened if several requests are likely to come before something leaves.
 *
 * Capacity grows by half and shrinks when three quarters are unused, in sizes that fill what the allocator hands out anyway. The ring
 * lives for a minute more than its window, is touched once a minute or so, and writes down with it when it was last used, under
 * a second name in the same slot.
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
import {
  BLOCK_BYTES,
  BLOCK_SIZE,
  BLOCKS_LUA,
  CLOCK_LUA,
  COUNTS_FORMAT,
  HEAD_FORMAT,
  HEAD_LUA,
  KINDS,
  leavingLua,
  MARKS_LUA,
  MOST_ADMISSIONS,
  makeScript,
  READING_LUA,
  type RedisScript,
  sizingLua,
  TICKET_AT,
  TICKET_BYTES,
  TOP_BYTES,
  WRAP,
} from "./redis-ring-layout.ts";

/** A lane is opened where there is room for so many, and time for so many at the pace of the last two. */
const WORTH_A_LANE = 4;
const MOST_MARKS = 4_096;
/** Stands for a ticket where another argument follows. */
export const NO_TICKET = "-";
/** A mark's answer is its milliseconds times this, and the length of the lane. */
export const LENGTHS = 2 ** 16;

interface RingShape {
  readonly limits: TierLimits;
  readonly longestWindowMs: number;
  readonly mostAdmissions: number;
  readonly keepsLastUse: boolean;
  /** Tells the lanes of one script from those of others on the same ring; 0 where it opens none. */
  readonly kind: number;
}

/**
 * Name: the ring. Arguments: the ticket of the lane that the node knows, if any, and the time, in tests. The limits stand in the text, for reading
 * them from arguments would be a tenth of the cost.
 */
function makeTakeScript(shape: RingShape): RedisScript {
  const { longestWindowMs, kind } = shape;
  return makeScript(`
local ring, call, ticket, given = KEYS[1], redis.call, ARGV[1], ARGV[2]
local lane, isCounted, isKnown
${kind > 0 ? ticketLua(shape) : ""}
${HEAD_LUA}
${kind > 0 ? noTicketLua(shape) : ""}
${MARKS_LUA}
local now, isNew, addsNow, sinceLast = newest, false, false, 0
if not isCounted then
  ${countingLua(shape)}
end
local isRebuilt, blocks = false, nil
if #tail >= ${BLOCK_BYTES} then
  ${foldingLua(shape)}
end
local hadLane, lastsUntil = laneUntil > 0, now
kind, laneUntil, marked = ${KINDS}, 0, 0
${kind > 0 ? openingLua(shape) : ""}
if hadLane and laneUntil == 0 then call('UNLINK', ring .. ':lane') end
local isDue = isNew or expireAt < lastsUntil + ${longestWindowMs}
if isDue then
  expireAt = now + ${longestWindowMs + MINUTE_MS}
  ${shape.keepsLastUse ? "call('SET', ring .. ':used', string.format('%d', now))" : ""}
end
h = encode(addsNow and '${HEAD_FORMAT}c0I4' or '${HEAD_FORMAT}c0',
  oldest, minuteOldest, expireAt, newest, laneNumber, kind, laneUntil, first, past, next, capacity, marked, tail, now)
if isNew or isRebuilt then
  local whole = h .. string.rep('\\0', ${TOP_BYTES} - #h)
  if isRebuilt then whole = whole .. blocks .. string.rep('\\0', capacity * ${BLOCK_BYTES} - #blocks) end
  call('SET', ring, whole, 'PXAT', string.format('%d', expireAt))
else
  call('SETRANGE', ring, '0', h)
  if isDue then call('PEXPIREAT', ring, string.format('%d', expireAt)) end
end
return h
`);
}

function ticketLua(shape: RingShape): string {
  return `
if ticket and ticket ~= '${NO_TICKET}' and call('GETRANGE', ring, '${TICKET_AT}', '${TICKET_AT + TICKET_BYTES - 1}') == ticket then
  lane, isKnown = ring .. ':lane', true
  ${markingLua(shape, `left * ${LENGTHS} + length`)}
end`;
}

function noTicketLua(shape: RingShape): string {
  return `
if kind == ${KINDS + shape.kind} and not isKnown then
  lane = ring .. ':lane'
  ${markingLua(shape, `encode('>c${TOP_BYTES}I6', h, left * ${LENGTHS} + length)`)}
end`;
}

/** Puts a mark into the lane, if it has room and nothing has left, and answers; counts, and goes on, where it is full with it. */
function markingLua({ limits, longestWindowMs }: RingShape, answer: string): string {
  return `
  local left = given and call('PEXPIRETIME', lane) - given or call('PTTL', lane)
  if left > ${longestWindowMs} and left < ${WRAP} then
    local length = call('APPEND', lane, struct.pack('>I4', left))
    if length < ${fullLength(limits)} then return ${answer} end
    isCounted = true
  end`;
}

function fullLength({ perMinute }: TierLimits): number {
  return 4 * Math.min(perMinute, MOST_MARKS);
}

/** Decides, and puts the request into the tail if it is admitted. */
function countingLua({ limits, longestWindowMs }: RingShape): string {
  return `
  local left = expireAt > 0 and (given and expireAt - given or call('PTTL', ring)) or 0
  if left > 0 then
    now = expireAt - left
  else
    ${CLOCK_LUA}
    now = readClock(given)
  end
  isNew = now >= expireAt
  if isNew then
    first, past, next, capacity, tail = 0, 0, 0, 0, ''
  else
    if now < newest then now = newest end
    sinceLast = now - newest
  end
  ${leavingLua(longestWindowMs)}
  if next - past >= ${limits.perMinute} or next - first >= ${limits.perDay} then
    -- More than the limit count where a tier was lowered.
    if next - past > ${limits.perMinute} or next - first > ${limits.perDay} then
      ${READING_LUA}
      if next - past > ${limits.perMinute} then minuteOldest = at(next - ${limits.perMinute}) end
      if next - first > ${limits.perDay} then oldest = at(next - ${limits.perDay}) end
    end
    return encode('${COUNTS_FORMAT}', now, next - past, next - first, minuteOldest, oldest)
  end
  newest = now
  if past == next then minuteOldest = now end
  if first == next then oldest = now end
  next = next + 1
  -- Where no block becomes full, the time goes behind the tail when the head is written.
  addsNow = #tail < ${BLOCK_BYTES - 4}
  if not addsNow then tail = tail .. encode('>I4', now) end`;
}

/** Makes blocks of the tail, as far as they are full, and leaves out what has left the longest window. */
function foldingLua({ mostAdmissions }: RingShape): string {
  return `
  local from, start, full = math.floor(first / ${BLOCK_SIZE}), (next - #tail / 4) / ${BLOCK_SIZE}, math.floor(#tail / ${BLOCK_BYTES})
  if from > start then
    tail = tail:sub((from - start) * ${BLOCK_BYTES} + 1)
    start, full = from, full - from + start
  end
  local needed = start + full - from
  if needed > capacity or (capacity > 16 and needed * 4 <= capacity) then
    ${BLOCKS_LUA}
    ${sizingLua(mostAdmissions)}
    isRebuilt, blocks = true, readBlocks(from, start - from) .. tail:sub(1, full * ${BLOCK_BYTES})
    capacity = findCapacity(needed)
    first, past, next = first - from * ${BLOCK_SIZE}, past - from * ${BLOCK_SIZE}, next - from * ${BLOCK_SIZE}
  elseif full > 0 then
    local slot = start % capacity
    local fitting = math.min(full, capacity - slot) * ${BLOCK_BYTES}
    call('SETRANGE', ring, string.format('%d', ${TOP_BYTES} + slot * ${BLOCK_BYTES}), tail:sub(1, fitting))
    if fitting < full * ${BLOCK_BYTES} then call('SETRANGE', ring, '${TOP_BYTES}', tail:sub(fitting + 1, full * ${BLOCK_BYTES})) end
  end
  tail = tail:sub(full * ${BLOCK_BYTES} + 1)`;
}

function openingLua({ limits, longestWindowMs, kind }: RingShape): string {
  const worthMs = `now + ${WORTH_A_LANE} * sinceLast`;
  return `
if not isNew and minuteOldest + ${MINUTE_MS} > ${worthMs} and oldest + ${longestWindowMs} > ${worthMs} then
  local room = math.min(${fullLength(limits) / 4}, ${limits.perMinute} - next + past, ${limits.perDay} - next + first)
  if room >= ${WORTH_A_LANE} then
    lastsUntil = math.min(minuteOldest + ${MINUTE_MS}, oldest + ${longestWindowMs})
    laneNumber, kind, laneUntil, marked = math.max(laneNumber + 1, now), ${KINDS + kind}, lastsUntil + ${longestWindowMs}, ${fullLength(limits)} - 4 * room
    call('SET', ring .. ':lane', string.rep('\\0', marked), 'PXAT', string.format('%d', laneUntil))
  end
end`;
}

export const TAKE_SCRIPTS: Readonly<Record<Tier, RedisScript>> = Object.fromEntries(
  TIER_NAMES.map((tier, index) => [
    tier,
    makeTakeScript({
      limits: TIERS[tier],
      longestWindowMs: DAY_MS,
      mostAdmissions: MOST_ADMISSIONS,
      keepsLastUse: true,
      kind: index + 1,
    }),
  ]),
) as Record<Tier, RedisScript>;

/** Addresses are many, and have few requests each. */
export const ADDRESS_SCRIPT = makeTakeScript({
  limits: { perMinute: ADDRESS_LIMIT_PER_MINUTE, perDay: ADDRESS_LIMIT_PER_MINUTE },
  longestWindowMs: MINUTE_MS,
  mostAdmissions: ADDRESS_LIMIT_PER_MINUTE,
  keepsLastUse: false,
  kind: 0,
});
