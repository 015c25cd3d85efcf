/** Requests for tests of the log: made by the thousand at chosen moments, written as the server writes them, and read again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listRequests } from "../../src/request-log/list-requests.ts";
import { toStored } from "../../src/request-log/logged-texts.ts";
import {
  type BlockRow,
  type BlockStore,
  postgresBlocks,
  type RequestFilters,
  toBlockRow,
  writeBlocks,
} from "../../src/request-log/request-block.ts";
import { firstIdAt, type LoggedRequest, type RequestRecord } from "../../src/request-log/request-record.ts";
import { SqliteBlocks } from "../../src/request-log/sqlite-blocks.ts";
import { REQUESTS_FILE } from "../../src/store/data-folder.ts";
import type { Store } from "../../src/store/store.ts";
import { dropTestStore, openTestStore } from "../test-store.ts";

/** A store and a log beside it, for the tests of one file. */
export interface TestLog {
  readonly store: Store;
  readonly blocks: BlockStore;
  /** And leaves nothing behind. */
  close(): Promise<void>;
}

export async function openTestLog(): Promise<TestLog> {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-log-"));
  const store = await openTestStore(dataDir);
  const blocks = openTestBlocks(dataDir, store);
  return {
    store,
    blocks,
    async close() {
      await blocks.close();
      await store.close();
      await dropTestStore(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A second hand on the log of a data folder, beside a server's own or instead of it. */
export function openTestBlocks(dataDir: string, store: Store): BlockStore {
  if (store.kind === "postgres") return postgresBlocks(store);
  return new SqliteBlocks(join(dataDir, REQUESTS_FILE), () => {});
}

let made = 0;

/** An id of that moment. Those made later are greater. */
export function requestIdAt(timeMs: number): string {
  return firstIdAt(timeMs).slice(0, 14) + (made++).toString().padStart(16, "0");
}

export function makeRecord(orgId: string, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    orgId,
    keyId: "key_01h2xcejqtf2nbrexx3vqjhp41",
    id: requestIdAt(Date.now()),
    method: "GET",
    target: "/api/public/v1/players",
    endpoint: "listPlayers",
    status: 200,
    code: null,
    durationUs: 1_000,
    address: "192.0.2.1",
    userAgent: "test/1.0",
    ...more,
  };
}

/** In blocks of so many, each in the order given. */
export async function fillLog(
  blocks: BlockStore,
  records: readonly RequestRecord[],
  requestsABlock: number,
): Promise<void> {
  for (let from = 0; from < records.length; from += requestsABlock * 16) {
    const rows: BlockRow[] = [];
    for (let at = from; at < Math.min(from + requestsABlock * 16, records.length); at += requestsABlock) {
      rows.push(await blockOf(records.slice(at, at + requestsABlock)));
    }
    await writeBlocks(blocks, rows);
  }
}

export function blockOf(records: readonly RequestRecord[]): Promise<BlockRow> {
  return toBlockRow(records[0]?.orgId ?? "", records.map(toStored));
}

/** Page after page to the end, as somebody who scrolls would. */
export async function walkLog(
  blocks: BlockStore,
  orgId: string,
  filters: RequestFilters,
  limit: number,
  betweenPages: () => Promise<void> = async () => {},
  time: { readonly lookingMs?: number } = {},
): Promise<{ requests: LoggedRequest[]; pages: number }> {
  const requests: LoggedRequest[] = [];
  let below: string | undefined;
  let pages = 0;
  do {
    const page = await listRequests(blocks, orgId, filters, { below, limit, ...time });
    requests.push(...page.requests);
    below = page.nextBelow;
    pages++;
    await betweenPages();
  } while (below !== undefined);
  return { requests, pages };
}
