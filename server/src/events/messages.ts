/** What is sent: `{type, timestamp, data}`, by https://www.standardwebhooks.com. A message about a change has the change's id. */

import type { Change } from "@lineup/api/changes";
import { PING_TYPE } from "@lineup/api/dashboard/webhooks";
import type { Message } from "./webhook-request.ts";

export function messageOfChange(change: Change): Message {
  return { id: change.id, body: write(change.type, change.occurredAt, change) };
}

/** For trying an endpoint out. */
export function messageOfPing(pingId: string, webhookId: string, now: number): Message {
  return { id: pingId, body: write(PING_TYPE, now, { id: pingId, webhookId }) };
}

function write(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
