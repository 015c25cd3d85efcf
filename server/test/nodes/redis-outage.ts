/** Redis is gone for a while under a balanced load: what was answered, and what was admitted in any one minute. */
import { setTimeout as sleep } from "node:timers/promises";
import { createOrganization } from "../../src/access/organizations.ts";
import type { OwnRedis } from "../services/redis.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey } from "../test-server.ts";
import { type NodeGroup, PlainClient } from "./node-group.ts";
import { waitUntil } from "./wait-until.ts";

export interface Outage {
  readonly requests: number;
  /** Answers of 500 and above. */
  readonly failed: number;
  /** The most that was admitted in any 60 seconds, and what is allowed. */
  readonly mostInAMinute: number;
  readonly limit: number;
  readonly admittedWhileAway: number;
  /** Between these moments Redis was away for certain, by the wall clock. */
  readonly wentAt: number;
  readonly cameAt: number;
  readonly slowestMs: number;
  readonly returnedAfterMs: number;
}

export interface OutageOptions {
  readonly awayMs: number;
  readonly requestsPerSecond: number;
  /** Ends Redis, and brings it back, as the caller likes: stopped, paused, empty or not. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

const BEFORE_MS = 1_500;
const AFTER_MS = 1_500;
const PRO_MINUTE = 300;

export async function measureOutage(group: NodeGroup, options: OutageOptions): Promise<Outage> {
  const [first] = group.nodes;
  if (first === undefined) throw new Error("There is no node.");
  const { id } = await createOrganization(first.store, { name: "Outage", tier: "Pro" }, TEST_ORIGIN);
  const { key } = await makeKey(first, id, ["teams:read"]);
  const client = new PlainClient();
  const admittedAt: number[] = [];
  let requests = 0;
  let failed = 0;
  let slowestMs = 0;
  let isOver = false;
  const load = (async () => {
    const underWay: Promise<void>[] = [];
    const startedAt = performance.now();
    while (!isOver) {
      const node = group.nodes[requests % group.nodes.length];
      const sentAt = performance.now();
      requests++;
      underWay.push(
        client.get(node?.baseUrl ?? "", "/teams", key).then(({ status }) => {
          slowestMs = Math.max(slowestMs, performance.now() - sentAt);
          if (status >= 500) failed++;
          if (status === 200) admittedAt.push(performance.now());
        }),
      );
      await sleep(Math.max(0, startedAt + (requests * 1_000) / options.requestsPerSecond - performance.now()));
    }
    await Promise.all(underWay);
  })();
  await sleep(BEFORE_MS);
  const wentAt = performance.now();
  await options.goAway();
  await sleep(options.awayMs);
  const cameAt = performance.now();
  await options.comeBack();
  const returnedAfterMs = await waitUntil("all nodes count in Redis again", () => allReady(group), 10_000);
  await sleep(AFTER_MS);
  isOver = true;
  await load;
  client.close();
  return {
    requests,
    failed,
    mostInAMinute: mostWithin(admittedAt, 60_000),
    limit: PRO_MINUTE,
    admittedWhileAway: admittedAt.filter((at) => at > wentAt && at < cameAt).length,
    wentAt: performance.timeOrigin + wentAt,
    cameAt: performance.timeOrigin + cameAt,
    slowestMs,
    returnedAfterMs,
  };
}

export async function allReady(group: NodeGroup): Promise<boolean> {
  const states = await Promise.all(
    group.nodes.map(
      async ({ origin }) => ((await (await fetch(`${origin}/readyz`)).json()) as { status: string }).status,
    ),
  );
  return states.every((status) => status === "ready");
}

function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  for (let start = 0, end = 0; end < sorted.length; end++) {
    while ((sorted[end] ?? 0) - (sorted[start] ?? 0) >= windowMs) start++;
    most = Math.max(most, end - start + 1);
  }
  return most;
}

export function stopAndRestart(redis: OwnRedis): Pick<OutageOptions, "goAway" | "comeBack"> {
  return { goAway: () => redis.kill(), comeBack: () => redis.restart() };
}
