/**
 * Which nodes count in this Redis: a sorted set of their names by the time of their last beat, on Redis's clock.
 *
 * What always holds: a node beats only when it owes Redis nothing, so a beat says "whatever I admitted before it is in the rings".
 * A node unheard of for five seconds no longer counts as one; its last beat stays for as long as anything it has
 * admitted can count, because by it a node that returns, or that never left, learns what Redis has forgotten: a Redis that started
 * empty knows no beat of it, one that started from an old copy knows an older one than the node remembers.
 */
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import type { RedisLink } from "./redis-link.ts";
import { CLOCK_LUA, makeScript } from "./redis-ring-layout.ts";

export const NODES_NAME = "lineup:nodes";
const REMEMBER_MS = DAY_MS + 5 * MINUTE_MS;

/**
 * Arguments: the node, what to do, after how long others are gone, and the node's last beat, if Redis must still know it; a node that
 * Redis has forgotten does not beat. A mark is a beat too old to count as a sign of life. Answers with the time, the node's beat
 * before this one, and all that are alive.
 */
const BEAT_SCRIPT = makeScript(`
${CLOCK_LUA}
local now = readClock()
local before = redis.call('ZSCORE', KEYS[1], ARGV[1])
if ARGV[2] ~= 'look' and (ARGV[4] == '' or (before and tonumber(before) >= tonumber(ARGV[4]))) then
  redis.call('ZADD', KEYS[1], string.format('%d', ARGV[2] == 'mark' and now - ARGV[3] - 1 or now), ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%d', now - ${REMEMBER_MS}))
  redis.call('PEXPIRE', KEYS[1], ${REMEMBER_MS})
end
local alive = redis.call('ZRANGE', KEYS[1], string.format('%d', now - ARGV[3]), '+inf', 'BYSCORE', 'WITHSCORES')
return { string.format('%d', now), before or '', unpack(alive) }
`);

export interface Beat {
  /** Redis's time. */
  readonly nowMs: number;
  /** When this node was last heard of before, as far as Redis knows. */
  readonly beforeMs: number | undefined;
  /** When each node that is alive was last heard of, this one included where it has beaten. */
  readonly alive: ReadonlyMap<string, number>;
}

export interface BeatOptions {
  readonly nodeId: string;
  readonly goneAfterMs: number;
}

/** Says that this node lives and owes nothing, unless Redis no longer knows the beat that it must know. */
export async function beat(link: RedisLink, options: BeatOptions, knownMs: number | undefined): Promise<Beat> {
  return askForBeat(link, options, "beat", knownMs);
}

/** Sees what `beat` would, and counts as no sign of life. */
export async function lookAtNodes(link: RedisLink, options: BeatOptions): Promise<Beat> {
  return askForBeat(link, options, "look", undefined);
}

/** Lets Redis know the node again without a sign of life, before it is given what it lacks. Returns the beat it now knows. */
export async function markNode(link: RedisLink, options: BeatOptions): Promise<number> {
  return (await askForBeat(link, options, "mark", undefined)).nowMs - options.goneAfterMs - 1;
}

async function askForBeat(link: RedisLink, options: BeatOptions, how: string, knownMs: number | undefined) {
  const known = knownMs === undefined ? "" : String(knownMs);
  const { nodeId, goneAfterMs } = options;
  return readBeat(await link.run(BEAT_SCRIPT, [NODES_NAME], [nodeId, how, String(goneAfterMs), known]));
}

/** A node that stops in order is gone at once. */
export async function leaveNodes(link: RedisLink, nodeId: string): Promise<void> {
  await link.send(NODES_NAME, ["ZREM", NODES_NAME, nodeId]);
}

function readBeat(reply: unknown): Beat {
  const [now = "", before = "", ...rest] = (reply as Buffer[]).map(String);
  const alive = new Map<string, number>();
  for (let index = 0; index + 1 < rest.length; index += 2) alive.set(rest[index] ?? "", Number(rest[index + 1]));
  return { nowMs: Number(now), beforeMs: before === "" ? undefined : Number(before), alive };
}
