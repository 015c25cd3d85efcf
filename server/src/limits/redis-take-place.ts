/** Takes places in rings in Redis, and makes sense of what the script answers. */
import { TIER_NAMES, type Tier } from "@lineup/api/tiers";
import type { RedisLink } from "./redis-link.ts";
import { HEAD_BYTES, ringName, TICKET_AT, TICKET_BYTES, TOP_BYTES } from "./redis-ring-layout.ts";
import { LENGTHS, NO_TICKET, TAKE_SCRIPTS } from "./redis-ring-script.ts";

/** What a script has decided, in Redis's time. Ages are those of the decisive admissions; zero where nothing counts. */
export interface RingReading {
  readonly admitted: boolean;
  readonly nowMs: number;
  readonly minuteCount: number;
  readonly minuteAgeMs: number;
  readonly longestCount: number;
  readonly longestAgeMs: number;
}

/** A lane that was open when last heard of, and what the ring's head said then; for one tier's requests. */
export interface Lane {
  readonly ticket: Buffer;
  readonly tier: Tier;
  readonly untilMs: number;
  readonly markedFrom: number;
  readonly head: RingReading;
  /** Of those that were heard of. */
  newestMs: number;
}

/** Somebody who remembers the lane of one key. */
export interface LaneHolder {
  lane: Lane | undefined;
}

/** `toldMs` is for tests, which cannot set Redis's clock. */
export async function takePlace(
  link: RedisLink,
  keyId: string,
  tier: Tier,
  holder: LaneHolder,
  toldMs?: number,
): Promise<RingReading> {
  const lane = holder.lane?.tier === tier ? holder.lane : undefined;
  const args = lane === undefined ? [] : [lane.ticket];
  const toldArgs = toldMs === undefined ? args : [lane?.ticket ?? NO_TICKET, String(toldMs)];
  const reply = await link.run(TAKE_SCRIPTS[tier], [ringName(keyId)], toldArgs);
  if (lane !== undefined && typeof reply === "number") return readMark(lane, reply);
  holder.lane = findLane(reply as Buffer);
  return readTakeReply(reply as Buffer, holder.lane);
}

/** The lane that a head in an answer speaks of. */
function findLane(reply: Buffer): Lane | undefined {
  if (reply.length < HEAD_BYTES) return undefined;
  const untilMs = reply.readUIntBE(32, 6);
  const tier = TIER_NAMES[reply.readUInt8(31) - 1];
  if (untilMs === 0 || tier === undefined) return undefined;
  // The answer may lie in a buffer that is much larger.
  const ticket = Buffer.from(reply.subarray(TICKET_AT, TICKET_AT + TICKET_BYTES));
  const head = readHead(reply);
  return { ticket, tier, untilMs, markedFrom: reply.readUInt16BE(52), head, newestMs: head.nowMs };
}

/** The script answers with the head; with the head and a mark, where the request went by a lane; or, shorter, with what is full. */
export function readTakeReply(reply: Buffer, lane = findLane(reply)): RingReading {
  if (reply.length > TOP_BYTES && lane !== undefined) return readMark(lane, reply.readUIntBE(TOP_BYTES, 6));
  if (reply.length >= HEAD_BYTES) return readHead(reply);
  const nowMs = reply.readUIntBE(0, 6);
  const minuteCount = reply.readUInt32BE(6);
  const longestCount = reply.readUInt32BE(10);
  return {
    admitted: false,
    nowMs,
    minuteCount,
    minuteAgeMs: minuteCount === 0 ? 0 : nowMs - reply.readUIntBE(14, 6),
    longestCount,
    longestAgeMs: longestCount === 0 ? 0 : nowMs - reply.readUIntBE(20, 6),
  };
}

function readHead(reply: Buffer): RingReading {
  const nowMs = reply.readUIntBE(18, 6);
  const next = reply.readUInt32BE(46);
  return {
    admitted: true,
    nowMs,
    minuteCount: next - reply.readUInt32BE(42),
    minuteAgeMs: nowMs - reply.readUIntBE(6, 6),
    longestCount: next - reply.readUInt32BE(38),
    longestAgeMs: nowMs - reply.readUIntBE(0, 6),
  };
}

/** Nothing has left since the head was written; so all that is new are the marks. */
function readMark(lane: Lane, answer: number): RingReading {
  const { head, untilMs, markedFrom } = lane;
  const marks = ((answer % LENGTHS) - markedFrom) / 4;
  const nowMs = Math.max(lane.newestMs, untilMs - Math.floor(answer / LENGTHS));
  lane.newestMs = nowMs;
  return {
    admitted: true,
    nowMs,
    minuteCount: head.minuteCount + marks,
    minuteAgeMs: head.minuteAgeMs + nowMs - head.nowMs,
    longestCount: head.longestCount + marks,
    longestAgeMs: head.longestAgeMs + nowMs - head.nowMs,
  };
}
