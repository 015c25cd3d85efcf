/**
 * Plain lines at the end of a test run, for machines and people who read only those: which services were used, and how many tests
 * passed, failed and were skipped. Where `LINEUP_FAILED_FILES` names a file, the files that failed are written there, for .ci/run to try again.
 */
import { writeFileSync } from "node:fs";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule, Vitest } from "vitest/node";

export default class PlainSummary implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      // A file that could not even be loaded has no test to count, and must not look like success.
      if (module.state() === "failed" && module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") counts[state]++;
      }
    }
    const failedFiles = process.env.LINEUP_FAILED_FILES;
    if (failedFiles !== undefined) writeFileSync(failedFiles, failed(modules, errors).join("\n"));
    // Nothing was provided where no test file was found, or the set-up itself failed.
    const { lines = [] } = this.#vitest?.getRootProject().getProvidedContext().services ?? {};
    for (const line of lines) console.log(`Service: ${line}`);
    console.log(`Tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}

/**
 * The files whose tests failed, were not finished, or left an error behind. An error of no file is that of a process that ended, and leaves a file
 * that was not finished; where one does not, none is named, for nothing would try it again.
 */
function failed(modules: readonly TestModule[], errors: readonly SerializedError[]): string[] {
  const unfinished = modules.filter((module) => module.state() !== "passed" && module.state() !== "skipped");
  const origins = errors.map((error) => error.VITEST_TEST_PATH).filter((origin) => typeof origin === "string");
  const cutOff = unfinished.filter((module) => module.state() !== "failed");
  if (errors.length - origins.length > cutOff.length) return [];
  return [...new Set([...unfinished.map((module) => module.moduleId), ...origins])];
}
