/** What an answer says about limits, read for tests. */
import type { Reply } from "../test-server.ts";

export interface DescribedLimits {
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch seconds. */
  readonly reset: number;
  readonly retryAfter: string | null;
  /** The IETF field with both windows. */
  readonly fields: string | null;
}

export function describeLimits({ headers }: Pick<Reply, "headers">): DescribedLimits {
  return {
    limit: numberIn(headers, "x-ratelimit-limit"),
    remaining: numberIn(headers, "x-ratelimit-remaining"),
    reset: numberIn(headers, "x-ratelimit-reset"),
    retryAfter: headers.get("retry-after"),
    fields: headers.get("ratelimit"),
  };
}

function numberIn(headers: Headers, name: string): number {
  const text = headers.get(name);
  if (text === null || !/^\d+$/.test(text)) throw new Error(`${name} is ${text}, not a number.`);
  return Number(text);
}

export function countOf(replies: readonly Pick<Reply, "status">[], status: number): number {
  return replies.filter((reply) => reply.status === status).length;
}
