/**
 * How long a page of the request log takes when a million requests are in it, whatever is looked for, on either database; and how large
 * the log is then. `node scripts/measure-request-log.ts [--requests N]`. The figures in docs/performance.md come from here.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startServices } from "../bench/src/services.ts";
import { createOrganization } from "../server/src/access/organizations.ts";
import { listRequests } from "../server/src/request-log/list-requests.ts";
import type { BlockStore, RequestFilters } from "../server/src/request-log/request-block.ts";
import type { RequestRecord } from "../server/src/request-log/request-record.ts";
import { commandOrigin } from "../server/src/store/audit-entry.ts";
import { REQUESTS_FILE } from "../server/src/store/data-folder.ts";
import { makeId } from "../server/src/store/ids.ts";
import { openStore } from "../server/src/store/open-store.ts";
import type { Store } from "../server/src/store/store.ts";
import { fillLog, makeRecord, openTestBlocks, requestIdAt } from "../server/test/request-log/logged-requests.ts";

const { values } = parseArgs({ options: { requests: { type: "string", default: "1000000" } } });
const REQUESTS = Number(values.requests);
const SPAN_MS = 7 * 86_400_000;
const PAGE = 50;
const PAGES_MAX = 40;
const KEYS = Array.from({ length: 40 }, () => makeId("key"));
const RARE_KEY = makeId("key");
const STARTED_AT = Date.now() - SPAN_MS;

/** As a busy organization would leave it in a week: many players, few errors, one key that was hardly used. */
function requestAt(orgId: string, index: number): RequestRecord {
  const dice = (index * 2_654_435_761) % 10_000;
  const player = `player_${String(dice * 7).padStart(26, "0")}`;
  const refusals = [
    [9_200, 200, null],
    [9_600, 404, "NOT_FOUND"],
    [9_800, 400, "INVALID_PARAMETER"],
    [9_950, 429, "RATE_LIMIT_EXCEEDED"],
    [9_999, 403, "INSUFFICIENT_PERMISSIONS"],
    [10_000, 500, "INTERNAL_ERROR"],
  ] as const;
  const [, status, code] = refusals.find(([below]) => dice < below) ?? refusals[0];
  return makeRecord(orgId, {
    id: requestIdAt(STARTED_AT + (index / REQUESTS) * SPAN_MS),
    keyId: index % 333_333 === 1_000 ? RARE_KEY : (KEYS[Math.floor(Math.sqrt(dice % 1_600))] ?? ""),
    target: dice % 3 === 0 ? `/api/public/v1/players?updatedSince=${index}` : `/api/public/v1/players/${player}`,
    endpoint: dice % 3 === 0 ? "listPlayers" : "getPlayer",
    status,
    code,
    durationUs: 200 + (dice % 3_000),
    address: `198.51.100.${dice % 7}`,
    userAgent: `integration/${dice % 5}.2`,
  });
}

const FILTERS: Readonly<Record<string, RequestFilters>> = {
  nothing: {},
  "the busiest key": { keyId: KEYS.at(-1) },
  "a key with 3 requests": { keyId: RARE_KEY },
  "a key that nobody has": { keyId: makeId("key") },
  "status 404": { status: "404" },
  "status 5xx": { status: "5xx" },
  "status 2xx": { status: "2xx" },
  "code RATE_LIMIT_EXCEEDED": { code: "RATE_LIMIT_EXCEEDED" },
  "method POST, of which there is none": { method: "POST" },
  "part of a path, common": { path: "updatedsince" },
  "part of a path, nowhere": { path: "nowhere" },
  "path, key and status": { path: "nowhere", keyId: KEYS.at(-1), status: "2xx" },
  "an hour in the middle": { from: STARTED_AT + SPAN_MS / 2, to: STARTED_AT + SPAN_MS / 2 + 3_600_000 },
  "the oldest hour, 4xx": { to: STARTED_AT + 3_600_000, status: "4xx" },
};

async function measure(title: string, store: Store, blocks: BlockStore, readBytes: () => Promise<number>) {
  const { id: orgId } = await createOrganization(store, { name: "Measured" }, commandOrigin("measurement"));
  const empty = await readBytes();
  let someId = "";
  for (let from = 0; from < REQUESTS; from += 10_240) {
    const some = Array.from({ length: Math.min(10_240, REQUESTS - from) }, (_, at) => requestAt(orgId, from + at));
    await fillLog(blocks, some, 64);
    someId = some[5]?.id ?? someId;
  }
  const bytes = ((await readBytes()) - empty) / REQUESTS;
  console.log(`\n${title}: ${REQUESTS.toLocaleString("en")} requests, ${bytes.toFixed(0)} bytes each`);
  console.log("looking for".padEnd(38), "pages  found   first  median   worst  standstill, ms");
  for (const [name, filters] of Object.entries({ ...FILTERS, "an id": { id: someId } })) {
    console.log(name.padEnd(38), await timePages(blocks, orgId, filters));
  }
}

/** From the first page on, for as many as there are, or so many as say enough. */
async function timePages(blocks: BlockStore, orgId: string, filters: RequestFilters): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const times: number[] = [];
  let found = 0;
  let below: string | undefined;
  delay.enable();
  do {
    const startedAt = performance.now();
    const page = await listRequests(blocks, orgId, filters, { below, limit: PAGE });
    times.push(performance.now() - startedAt);
    found += page.requests.length;
    below = page.nextBelow;
  } while (below !== undefined && times.length < PAGES_MAX);
  delay.disable();
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [times[0] ?? 0, sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0, delay.max / 1e6];
  const counts = `${String(times.length).padStart(5)}${String(found).padStart(7)}`;
  return counts + figures.map((figure) => figure.toFixed(1).padStart(8)).join("");
}

const root = fileURLToPath(new URL("../bench/data", import.meta.url));
mkdirSync(root, { recursive: true });
const dataDir = mkdtempSync(join(root, "requests-"));
const services = await startServices();
try {
  const settings = { dataDir, databaseDirectUrl: undefined, databasePoolSize: 4, secret: "s".repeat(64) };
  const embedded = await openStore({ ...settings, databaseUrl: undefined });
  const file = openTestBlocks(dataDir, embedded.store);
  await measure("A file beside the embedded store", embedded.store, file, async () =>
    ["", "-wal"].reduce(
      (sum, end) => sum + (statSync(join(dataDir, REQUESTS_FILE + end), { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
  );
  await file.close();
  await embedded.store.close();
  if (services !== undefined) {
    const { databaseUrl } = await services.makePlace(0);
    const { store } = await openStore({ ...settings, databaseUrl });
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await measure("PostgreSQL", store, openTestBlocks(dataDir, store), async () => {
      await client.query("ANALYZE");
      const { rows } = await client.query("SELECT pg_total_relation_size('lineup.request_blocks') AS bytes");
      return Number(rows[0]?.bytes);
    });
    await client.end();
    await store.close();
  }
} finally {
  await services?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
