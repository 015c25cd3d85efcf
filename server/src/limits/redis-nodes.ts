/**
 * Which nodes count in this Redis: a sorted set of their names by the time of their last beat, on Redis's clock.
 *
 * What always holds: a node beats only when it owes Redis nothing, so a beat says "what I admitted before it is in the lists".
 * A node unheard of for five seconds no longer counts as one; its last beat stays for as long as anything it has
 * admitted can count, because by it a node learns what Redis has forgotten: a Redis that started empty knows no beat of it, one that started
 * from an old copy knows an older one than the node remembers.
 */
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import { makeScript, type RedisLink } from "./redis-link.ts";
import { NODES_NAME } from "./redis-scripts.ts";

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
