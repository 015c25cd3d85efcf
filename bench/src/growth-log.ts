/** Millions of requests in the log, each organization's in blocks as a server fills them, over the last days. */

import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import { type BlockRow, type BlockStore, writeBlocks } from "@lineup/server/request-log/request-block";
import type { RequestRecord } from "@lineup/server/request-log/request-record";
import { SqliteBlocks } from "@lineup/server/request-log/sqlite-blocks";
import { REQUESTS_FILE } from "@lineup/server/store/data-folder";
import { makeId } from "@lineup/server/store/ids";
import { blockOf, requestIdAt } from "../../server/test/request-log/logged-requests.ts";
import { startBar } from "./progress-bar.ts";

const REQUESTS_A_BLOCK = 500;
const BLOCKS_A_STATEMENT = 32;
/** Less than they are kept for, so that the next server has nothing to remove. */
const SPAN_MS = 5 * DAY_MS;
/** A block is filled within this time. */
const BLOCK_MS = 4 * 60_000;
const KEYS_A_BLOCK = 5;

/** What is asked for, in the log, of an organization. */
interface AskedOrganization {
  readonly orgId: string;
  readonly players: readonly { readonly id: string }[];
}

export async function fillRequestLog(
  dataDir: string,
  total: number,
  organizations: readonly AskedOrganization[],
): Promise<void> {
  if (total === 0) return;
  const blocks = new SqliteBlocks(join(dataDir, REQUESTS_FILE), () => {});
  const bar = startBar("request log");
  try {
    await writeAll(blocks, total, organizations, (done) => bar.update(done, total, "requests"));
  } finally {
    bar.end();
    await blocks.close();
  }
}

async function writeAll(
  blocks: BlockStore,
  total: number,
  organizations: readonly AskedOrganization[],
  onRows: (done: number) => void,
): Promise<void> {
  const startedAt = Date.now() - SPAN_MS;
  const keyIds = new Map(
    organizations.map(({ orgId }) => [orgId, Array.from({ length: KEYS_A_BLOCK }, () => makeId("key"))]),
  );
  let rows: BlockRow[] = [];
  for (let from = 0, block = 0; from < total; from += REQUESTS_A_BLOCK, block++) {
    const org = organizations[block % organizations.length] as AskedOrganization;
    const count = Math.min(REQUESTS_A_BLOCK, total - from);
    const openedAt = startedAt + (from / total) * (SPAN_MS - BLOCK_MS);
    const records = Array.from({ length: count }, (_, index) => {
      return requestAt(org, keyIds.get(org.orgId) ?? [], openedAt + (index / count) * BLOCK_MS, from + index);
    });
    rows.push(await blockOf(records));
    if (rows.length < BLOCKS_A_STATEMENT && from + count < total) continue;
    await writeBlocks(blocks, rows);
    rows = [];
    onRows(from + count);
  }
}

function requestAt(org: AskedOrganization, keyIds: readonly string[], atMs: number, index: number): RequestRecord {
  const player = org.players[index % org.players.length]?.id ?? "";
  const isList = index % 3 === 0;
  const isMissing = index % 50 === 0;
  return {
    orgId: org.orgId,
    keyId: keyIds[index % keyIds.length] ?? "",
    id: requestIdAt(atMs),
    method: "GET",
    target: isList ? "/api/public/v1/players?limit=50" : `/api/public/v1/players/${player}`,
    endpoint: isList ? "listPlayers" : "getPlayer",
    status: isMissing ? 404 : 200,
    code: isMissing ? "NOT_FOUND" : null,
    durationUs: 200 + (index % 3_000),
    address: `198.51.100.${index % 7}`,
    userAgent: "integration/1.2",
  };
}
