/**
 * Plain lines at the end of a test run, for machines and people who read only those: which services were used, and how many tests
 * passed, failed and were skipped; and which passed only when they were tried again.
 */
import type { Reporter, TestModule, Vitest } from "vitest/node";

export default class PlainSummary implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      // A file that could not even be loaded has no test to count, and must not look like success.
      if (module.state() === "failed" && module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") counts[state]++;
        const tries = test.diagnostic()?.retryCount ?? 0;
        if (state === "passed" && tries > 0) console.log(`Passed on a second try: ${test.fullName}`);
      }
    }
    // Nothing was provided where no test file was found, or the set-up itself failed.
    const { lines = [] } = this.#vitest?.getRootProject().getProvidedContext().services ?? {};
    for (const line of lines) console.log(`Service: ${line}`);
    console.log(`Tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
