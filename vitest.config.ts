import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{api,server,bench}/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    // The plain closing line, beside the usual report, is for machines that read it.
    reporters: ["default"],
  },
});
