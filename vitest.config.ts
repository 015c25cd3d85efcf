import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{api,server,bench}/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Much of a test's time is waiting, for a server to start or a client to be too slow; so more run at once than there are cores.
    maxWorkers: "150%",
    globalSetup: ["./server/test/services/global-setup.ts"],
    reporters: ["default", "./scripts/plain-summary.ts"],
  },
});
