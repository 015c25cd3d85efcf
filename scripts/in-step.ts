/** Plays random requests against both databases, as many as asked: `npm run in-step -- 100000`, and a seed behind it to play them again. */
import { makeOddlySorted, playInStep } from "../server/test/both/in-step.ts";
import { findOrStartPostgres } from "../server/test/services/find-postgres.ts";
import { describeService, isMissing } from "../server/test/services/found-service.ts";
import { createTestDatabase, makeRunPrefix } from "../server/test/services/test-database.ts";

const [requests = 10_000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number);
if (![requests, seed].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error("Give the number of requests, and if wanted a seed, as whole numbers: npm run in-step -- 10000 42");
  process.exit(2);
}

const postgres = await findOrStartPostgres();
console.log(describeService(postgres));
if (isMissing(postgres)) process.exit(1);
const source = { adminUrl: postgres.adminUrl, prefix: makeRunPrefix() };
const { url, drop } = await makeOddlySorted((options) => createTestDatabase(source, options));
const startedAt = performance.now();
try {
  const onProgress = (played: number) => {
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${played} of ${requests}`);
    else if (played % 5_000 === 0) console.log(`${played} of ${requests}`);
  };
  const report = await playInStep({ databaseUrl: url, requests, seed, onProgress });
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${status}: ${count}`);
  console.log(
    `${process.stdout.isTTY ? "\r\x1b[K" : ""}${report.played} requests from seed ${seed} were answered alike (${statuses.join(", ")}; ` +
      `${report.pagesFollowed} pages by cursor), in ${Math.round((performance.now() - startedAt) / 1000)} s.`,
  );
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await drop();
  await postgres.stop();
}
