/** Whole rings, for those who do not count: one copy each, in one piece, however busy the key is. */
import { DAY_MS } from "@lineup/api/tiers";
import { BLOCK_BYTES, BLOCK_SIZE, HEAD_LUA, MARKS_LUA, makeScript, TOP_BYTES } from "./redis-ring-layout.ts";

/** Names: the ring. Answers with its numbers, its times since the last full block, and its blocks; nothing where there is no ring. */
export const COPY_SCRIPT = makeScript(`
${HEAD_LUA}
${MARKS_LUA}
if expireAt == 0 then return {} end
return { encode('>I6I4I4I2', newest, first, next, capacity), tail, call('GETRANGE', KEYS[1], '${TOP_BYTES}', '-1') }
`);

/** Names: the ring, and its last use. Answers with the later time of the two, 0 where nothing is known. */
export const LAST_USE_SCRIPT = makeScript(`
${HEAD_LUA}
if expireAt == 0 then newest = 0 end
if laneUntil > 0 then
  local marks = call('GETRANGE', KEYS[1] .. ':lane', marked, '-1')
  if #marks > 0 then newest = math.max(newest, laneUntil - decode('>I4', marks, #marks - 3)) end
end
return string.format('%d', math.max(newest, tonumber(call('GET', KEYS[2]) or 0)))
`);

/** The admissions in the copy of a ring that count at a moment, oldest first. */
export function readRing(copy: readonly Buffer[], nowMs: number): number[] {
  const [numbers, tail, blocks] = copy;
  if (numbers === undefined || tail === undefined || blocks === undefined) return [];
  const newestMs = numbers.readUIntBE(0, 6);
  const next = numbers.readUInt32BE(10);
  const capacity = numbers.readUInt16BE(14);
  const tailFrom = next - tail.length / 4;
  const times: number[] = [];
  for (let number = numbers.readUInt32BE(6); number < next; number++) {
    const block = (Math.floor(number / BLOCK_SIZE) % capacity) * BLOCK_BYTES;
    const low =
      number < tailFrom
        ? blocks.readUInt32BE(block + 4 * (number % BLOCK_SIZE))
        : tail.readUInt32BE(4 * (number - tailFrom));
    const timeMs = newestMs - ((newestMs - low) >>> 0);
    if (nowMs - timeMs < DAY_MS) times.push(timeMs);
  }
  return times;
}
