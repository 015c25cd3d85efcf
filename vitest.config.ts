import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// What files load need not be compiled by every process.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/lineup", import.meta.url));

/**
 * `npm run drills` runs the files that repeat something, with large counts; `npm test` runs all, those with small ones (server/test/drill-count.ts), and those
 * on the embedded store alone where they can be: it shall take minutes.
 */
const drills = process.env.LINEUP_DRILLS;
const isDrill = drills !== undefined;
/** Counts by hand may be of any size; a part of the large ones, as CI asks for, is over long before this. So is a poll. */
const [drillMs, pollMs] = drills?.includes("percent") ? [1_200_000, 120_000] : [7_200_000, 600_000];

/**
 * What stands on a store, and so has to hold on both: the store's own handles, those who change keys, organizations and data, the
 * commands, and the server's answers. Left out is what is about the embedded store's files, and what never comes to a query:
 * the arithmetic of limits, the reading of files and settings, the framing of requests, TLS.
 */
const ON_BOTH = [
  "server/src/access/*",
  "server/src/audit/*",
  "server/src/cli/{audit,org-and-key}",
  "server/src/events/*",
  "server/src/identity/*",
  "server/src/request-log/{key-usage,list-requests,request-pruner}",
  "server/src/sample/*",
  "server/src/store/{list,org-store,direct-handle,search-text}",
  "server/src/transfer/{import*,round-trip}",
  "server/test/browser/{{account,dashboard,members,webhook}-journey,getting-in}",
  "server/test/calendar/*",
  "server/test/contract/*",
  "server/test/dashboard/*",
  "server/test/durability/{kill-rounds,lifecycle}",
  "server/test/erasure/*",
  "server/test/hostile/{corpus,key-hygiene,large-lists,operations,pipelining}",
  "server/test/limits/*",
  "server/test/mcp/*",
  "server/test/request-log/*",
  "server/test/stale/*",
  "server/test/webhooks/*",
];

/**
 * On the embedded store alone, because no query decides them: tables of documents held against the code, which permission opens
 * which endpoint, what is refused before anybody asks who asks. How a server starts and stops is told by `lifecycle` on both.
 * Requests made from the records are played on both in step, which says more.
 */
const NOT_ABOUT_THE_STORE = [
  "server/test/calendar/calendar-{python,zones}",
  "server/test/contract/{contract-tables,permissions,spec-tables}",
  "server/test/dashboard/{action-bodies,own-origin}",
  "server/test/mcp/{door,loading,tool-sets}",
];

/** What needs PostgreSQL by itself, whichever engine the rest stands on. */
const ON_POSTGRES_ALONE = ["server/test/{both,nodes}/*", "server/src/store/postgres*"];

/**
 * In drills alone, because of what they cost and how seldom a change breaks them: the flags that a server is
 * started with, moves and whole copies between the databases, services of the tests' own, what doctor finds, a hundred wrong passwords, second factors and devices, days of failing
 * deliveries, what webhooks cost those who write, lists of many megabytes, clients that are slow or whose connections break, tools for every set of permissions, the lines to copy of a
 * key's page, calendars read by a program that has to be installed, the build of the pages, the packages of a release, and all that people do in the pages beside the one day that every
 * run lives through.
 */
const LONG = [
  "server/src/cli/{move,move-counts,serve-first-owner,serve-flags}",
  "server/src/identity/{known-devices,second-factor}",
  "server/src/store/whole-copies",
  "server/test/build-dashboard",
  "server/test/browser/{*-pages,large-data,two-people,{account,calendar,contract,dashboard,members,player,prospect,roster,schedule,transfer,webhook}-journey,getting-in,keyboard,manager-{keyboard,touch},pages}",
  "server/test/calendar/calendar-python",
  "server/test/dashboard/wrong-passwords",
  "server/test/doctor/doctor-{databases,embedded,network}",
  "server/test/durability/foreign-lock",
  "server/test/hostile/{large-lists,slow-clients}",
  "server/test/key-uses",
  "server/test/mcp/tool-sets",
  "server/test/packed",
  "server/test/request-log/request-log-faults",
  "server/test/sdk/client-{package,retries}",
  "server/test/services/{keeper,own-services}",
  "server/test/webhooks/{failing,write-cost}",
];

/**
 * On PostgreSQL in drills alone; on the embedded store in every run. The first four repeat something; the others are about processes, people and bytes more
 * than about queries. The last two have no other store: whole copies, and nodes that come and go.
 */
const LONG_ON_POSTGRES = [
  "server/test/dashboard/{import-kills,importing,told-writes}",
  "server/test/durability/kill-rounds",
  "server/test/stale/stale-answers",
  "server/test/webhooks/{webhook-kills,write-cost}",
  "server/src/audit/{conversion,forging,several-secrets,tampering}",
  "server/src/cli/{audit,org-and-key}",
  "server/src/identity/{first-owner,known-devices,link-use,mail,own-account,reset-links,second-factor,sign-in,try-windows,user-admin}",
  "server/src/request-log/{key-usage,list-requests,request-pruner}",
  "server/src/store/org-store",
  "server/src/transfer/{import,import-faults,import-roster,round-trip}",
  "server/test/browser/{{account,dashboard,members,webhook}-journey,getting-in}",
  "server/test/calendar/*",
  "server/test/contract/{forged-cursors,list-bytes,moments,restored-feed,roles,streamed-lists,walks,whole-lists}",
  "server/test/dashboard/{authorization,every-action,import-export,keeping-*,keys,organizations,requests,wrong-passwords}",
  "server/test/durability/lifecycle",
  "server/test/erasure/*",
  "server/test/hostile/{corpus,large-lists}",
  "server/test/limits/limits-restart",
  "server/test/mcp/*",
  "server/test/request-log/*",
  "server/test/webhooks/{bad-endpoints,deliveries,failing,sending-thread}",
  "server/src/store/postgres-{fill,move}",
  "server/test/nodes/{cluster,crowded-pool,four-nodes,pgbouncer,postgres-store,rolling-restart}",
];

const testsOf = (names: readonly string[]) => names.map((name) => `${name}.{test,drill}.ts`);
const drillsOf = (names: readonly string[]) => names.map((name) => `${name}.drill.ts`);

/** What to run of some files: in drills those that repeat and those that are long, else all that are not long. */
function choose(names: readonly string[], excluded: readonly string[], long: readonly string[]) {
  return {
    include: isDrill ? [...drillsOf(names), ...testsOf(long)] : testsOf(names),
    exclude: ["**/node_modules/**", ...testsOf(excluded), ...(isDrill ? [] : testsOf(long))],
  };
}

export default defineConfig({
  test: {
    // They end what hangs, and judge nothing: a busy machine takes its time, a drill as long as its count asks for. So does a poll.
    testTimeout: isDrill ? drillMs : 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: isDrill ? pollMs : 60_000 } },
    pool: "forks",
    // Loading the server costs more than most files take to run; so a process goes on to the next file with what it has loaded.
    isolate: false,
    // Much of a test's time is waiting, for a server to start or a client to be too slow; so more run at once than there are cores.
    maxWorkers: availableParallelism() + 2,
    globalSetup: ["./server/test/services/global-setup.ts"],
    reporters: ["default", "./scripts/plain-summary.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          ...choose(["{api,server,dashboard,bench}/**/*"], ON_POSTGRES_ALONE, LONG),
          env: { LINEUP_TEST_ENGINE: "sqlite" },
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          ...choose([...ON_BOTH, ...ON_POSTGRES_ALONE], NOT_ABOUT_THE_STORE, LONG_ON_POSTGRES),
          env: { LINEUP_TEST_ENGINE: "postgres" },
          runner: "./server/test/postgres-runner.ts",
          setupFiles: ["./server/test/drop-test-stores.ts"],
        },
      },
    ],
  },
});
