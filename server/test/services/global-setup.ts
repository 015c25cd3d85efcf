/** Run by vitest before the first test file and after the last: the services, once for all projects of a run. */
import type { TestProject } from "vitest/node";
import { findOrStartServices, type RunServices } from "./run-services.ts";

/** Every project loads this file anew; what they share has to be where all of them find it. */
const shared = globalThis as typeof globalThis & {
  lineupServices?: Promise<RunServices>;
  lineupServicesUsers?: number;
};

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const isFirst = shared.lineupServices === undefined;
  shared.lineupServices ??= findOrStartServices();
  shared.lineupServicesUsers = (shared.lineupServicesUsers ?? 0) + 1;
  const services = await shared.lineupServices;
  if (isFirst) for (const line of services.provided.lines) console.log(line);
  project.provide("services", services.provided);
  return async () => {
    shared.lineupServicesUsers = (shared.lineupServicesUsers ?? 1) - 1;
    if (shared.lineupServicesUsers === 0) await services.end();
  };
}
