import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Every file has a process of its own; what they load need not be compiled by each of them.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/lineup", import.meta.url));

/**
 * What stands on a store, and so has to hold on both: the store's own handles, those who change keys, organizations and data, the
 * commands, and the server's answers. Left out is what is about the embedded store's files, and what never comes to a query:
 * the arithmetic of limits, the reading of files and settings, the framing of requests, TLS.
 */
const ON_BOTH = [
  "server/src/access/*.test.ts",
  "server/src/audit/*.test.ts",
  "server/src/cli/{audit,org-and-key}.test.ts",
  "server/src/identity/*.test.ts",
  "server/src/request-log/{list-requests,request-pruner,usage}.test.ts",
  "server/src/sample/*.test.ts",
  "server/src/store/{kept-query,kept-rows,list-page,org-store,search-text}.test.ts",
  "server/src/transfer/{import*,round-trip}.test.ts",
  "server/test/browser/{*-journey,getting-in}.test.ts",
  "server/test/contract/*.test.ts",
  "server/test/dashboard/*.test.ts",
  "server/test/durability/{kill-rounds,lifecycle}.test.ts",
  "server/test/hostile/{corpus,key-hygiene,large-lists,operations,pipelining}.test.ts",
  "server/test/limits/*.test.ts",
  "server/test/request-log/*.test.ts",
  "server/test/workers/one-server.test.ts",
  "server/test/stale/*.test.ts",
];

/**
 * On the embedded store alone, because no query decides them: tables of documents held against the code, which permission opens
 * which endpoint, what is refused before anybody asks who asks. How a server starts and stops is told by `lifecycle` on both.
 * Requests made from the records are played on both in step, which says more.
 */
const NOT_ABOUT_THE_STORE = [
  "server/test/contract/{contract-tables,permissions,spec-tables}.test.ts",
  "server/test/dashboard/{action-bodies,own-origin}.test.ts",
  "server/test/generated/*.test.ts",
];

/** What needs PostgreSQL by itself, whichever engine the rest stands on. */
const ON_POSTGRES_ALONE = ["server/test/{both,nodes}/*.test.ts", "server/src/store/postgres*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Much of a test's time is waiting, for a server to start or a client to be too slow; so more run at once than there are cores.
    maxWorkers: "150%",
    globalSetup: ["./server/test/services/global-setup.ts"],
    reporters: ["default", "./scripts/plain-summary.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "sqlite",
          include: ["{api,server,dashboard,bench}/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...ON_POSTGRES_ALONE],
          env: { LINEUP_TEST_ENGINE: "sqlite" },
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: [...ON_BOTH, ...ON_POSTGRES_ALONE],
          exclude: ["**/node_modules/**", ...NOT_ABOUT_THE_STORE],
          env: { LINEUP_TEST_ENGINE: "postgres" },
          runner: "./server/test/postgres-runner.ts",
          setupFiles: ["./server/test/drop-test-stores.ts"],
        },
      },
    ],
  },
});
