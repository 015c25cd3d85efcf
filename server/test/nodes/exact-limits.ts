/** One key, several nodes, more requests than its minute allows, spread over all of them: how many were admitted. */
import { setTimeout as sleep } from "node:timers/promises";
import { createOrganization } from "../../src/access/organizations.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey } from "../test-server.ts";
import { type NodeGroup, PlainClient } from "./node-group.ts";

export interface Burst {
  readonly admitted: number;
  readonly refused: number;
  readonly others: number;
}

const BATCHES = 40;

/** Sends the requests evenly over the span, in batches that go to all nodes at once. */
export async function sendBurst(group: NodeGroup, requests: number, spanMs: number): Promise<Burst> {
  const [first] = group.nodes;
  if (first === undefined) throw new Error("There is no node.");
  const { id } = await createOrganization(first.store, { name: "Burst", tier: "Enterprise" }, TEST_ORIGIN);
  const { key } = await makeKey(first, id, ["teams:read"]);
  const client = new PlainClient();
  const statuses: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let batch = 0; batch < BATCHES; batch++) {
    const until = Math.round(((batch + 1) * requests) / BATCHES);
    while (statuses.length < until) {
      const node = group.nodes[statuses.length % group.nodes.length];
      statuses.push(client.get(node?.baseUrl ?? "", "/teams", key).then(({ status }) => status));
    }
    await sleep(Math.max(0, startedAt + ((batch + 1) * spanMs) / BATCHES - performance.now()));
  }
  const counted = { admitted: 0, refused: 0, others: 0 };
  for (const status of await Promise.all(statuses)) {
    if (status === 200) counted.admitted++;
    else if (status === 429) counted.refused++;
    else counted.others++;
  }
  client.close();
  return counted;
}
