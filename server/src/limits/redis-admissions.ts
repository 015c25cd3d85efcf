/** Admissions on their way into Redis or out of it: given back by a node, moved between engines by a command, or looked at for the last use. */
import { DAY_MS, TIER_NAMES, TIERS } from "@lineup/api/tiers";
import { connectToRedis, makeScript, type RedisLink } from "./redis-link.ts";
import { openListLua, STATE_FORMAT, stateName, timesName, WRAP } from "./redis-scripts.ts";

const CONNECT_WITHIN_MS = 5_000;
const KEYS_AT_ONCE = 256;
/** Whole lists are large. */
const LISTS_AT_ONCE = 8;
/** More never stand in a list: a decision looks at no more than a limit's worth of the newest. */
const MOST_ADMISSIONS = Math.max(...TIER_NAMES.map((tier) => TIERS[tier].perDay));

/** The admissions of a key that still count. */
export interface CountedAdmissions {
  readonly keyId: string;
  /** Epoch milliseconds, oldest first. */
  readonly admissions: readonly number[];
  readonly lastUsedAt: number | undefined;
}

/**
 * Puts admissions into a key's list that were counted elsewhere: by a node while Redis was away, or by another engine before a move. What has left
 * the day is dropped, and what is later than now counts as now. A batch of a node has a name, under which it is noted so that it is added once,
 * however often the node repeats it; every time of it is added, because another node may have admitted in the same millisecond. An
 * import without a name adds a time only as often as the list lacks it.
 *
 * Names: the list, and the batch. Arguments: the times in order as JSON, the last use, and the time in tests. Returns how many were added.
 */
const MERGE_SCRIPT = makeScript(`
if KEYS[2] and not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ${DAY_MS}) then return 0 end
${openListLua("ARGV[3]")}
local given = {}
for _, time in ipairs(cjson.decode(ARGV[1])) do
  if now - time < ${DAY_MS} then given[#given + 1] = math.max(0, now - time) end
end
local from = #given > 0 and findYounger(0, given[1] + 1) or length
local existing = call('LRANGE', times, from, -1)
local merged, size, added, position, nextAge = {}, 0, 0, 0, 0
local function put(time) size, merged[size + 1] = size + 1, time end
local function goOn()
  position = position + 1
  nextAge = existing[position] and (now - existing[position]) % ${WRAP} or -1
end
goOn()
for _, age in ipairs(given) do
  while nextAge > age do
    put(existing[position])
    goOn()
  end
  if nextAge == age and not KEYS[2] then
    put(existing[position])
    goOn()
  else
    put(string.format('%d', (now - age) % ${WRAP}))
    added = added + 1
  end
end
if added > 0 then
  local function push(list, start)
    for index = start, #list, 1000 do call('RPUSH', times, unpack(list, index, math.min(index + 999, #list))) end
  end
  if from == 0 then call('DEL', times) else call('LTRIM', times, 0, from - 1) end
  push(merged, 1)
  push(existing, position)
  call('LTRIM', times, ${-MOST_ADMISSIONS}, -1)
  call('PEXPIREAT', times, now - ageAt(-1) + ${DAY_MS})
end
lastUse = math.max(lastUse, math.min(now, math.max(tonumber(ARGV[2]), #given > 0 and now - given[#given] or 0)))
if lastUse > 0 then call('SET', state, struct.pack('${STATE_FORMAT}', lastUse, 0, 0, 0, 0)) end
return added
`);

const COPY_SCRIPT = makeScript(`
${openListLua("ARGV[1]")}
return { now, lastUse, call('LRANGE', times, findYounger(0, ${DAY_MS}), -1) }
`);

const LAST_USE_SCRIPT = makeScript(`
local saved = redis.call('GET', KEYS[1])
return saved and struct.unpack('>I6', saved) or 0
`);

/** Returns how many were added; `batch` names what a node gives back. `toldMs` is for tests, which cannot set Redis's clock. */
export async function mergeAdmissions(
  link: RedisLink,
  { keyId, admissions, lastUsedAt }: CountedAdmissions,
  batch?: string,
  ...toldMs: number[]
): Promise<number> {
  const batchNames = batch === undefined ? [] : [`${timesName(keyId)}:batch:${batch}`];
  const times = JSON.stringify(admissions.toSorted((a, b) => a - b));
  const args = [times, String(lastUsedAt ?? 0), ...toldMs.map(String)];
  return Number(await link.run(MERGE_SCRIPT, [timesName(keyId), ...batchNames], args));
}

export async function copyAdmissions(link: RedisLink, keyId: string, ...toldMs: number[]): Promise<CountedAdmissions> {
  const reply = await link.run(COPY_SCRIPT, [timesName(keyId)], toldMs.map(String));
  const [nowMs, lastUse, times] = reply as [number, number, string[]];
  const admissions = times.map((time) => nowMs - ((nowMs - Number(time)) % WRAP));
  return { keyId, admissions, lastUsedAt: lastUse === 0 ? undefined : lastUse };
}

/** In epoch milliseconds by Redis's clock; keys that were never used are left out. */
export async function readLastUsed(link: RedisLink, keyIds: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let start = 0; start < keyIds.length; start += KEYS_AT_ONCE) {
    const some = keyIds.slice(start, start + KEYS_AT_ONCE).map(async (keyId) => {
      const lastUse = Number(await link.run(LAST_USE_SCRIPT, [stateName(keyId)]));
      if (lastUse > 0) found.set(keyId, lastUse);
    });
    await Promise.all(some);
  }
  return found;
}

/** The keys' admissions that still count, and their last uses; keys that were never used are left out. */
export async function* exportAdmissions(link: RedisLink, keyIds: readonly string[]): AsyncGenerator<CountedAdmissions> {
  for (let start = 0; start < keyIds.length; start += LISTS_AT_ONCE) {
    const some = keyIds.slice(start, start + LISTS_AT_ONCE);
    const copies = await Promise.all(some.map((keyId) => copyAdmissions(link, keyId)));
    yield* copies.filter(({ lastUsedAt }) => lastUsedAt !== undefined);
  }
}

/** Adds what is missing; the same import may be repeated. Returns how many admissions were added. */
export async function importAdmissions(
  link: RedisLink,
  entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>,
): Promise<number> {
  let added = 0;
  for await (const entry of entries) added += await mergeAdmissions(link, entry);
  return added;
}

/** For a process that is no node, such as a command, while servers may be running. */
export async function connectCommandToRedis(url: string): Promise<RedisLink> {
  try {
    return await connectToRedis(url, CONNECT_WITHIN_MS);
  } catch (error) {
    throw new RedisUnreachableError(url, error);
  }
}

/** Says where Redis was looked for, and neither user nor password. */
export class RedisUnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    const reason = (cause instanceof Error ? cause.message || cause.name : String(cause)).replace(/\.$/, "");
    super(
      `Redis at ${describeServer(url)}, named by LINEUP_REDIS_URL, cannot be used: ${reason}. ` +
        "Start it or correct the setting; without it, servers on several machines cannot count requests together.",
    );
    this.name = "RedisUnreachableError";
  }
}

function describeServer(url: string): string {
  if (!URL.canParse(url)) return "an address that cannot be read";
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === "" ? 6379 : port}`;
}
