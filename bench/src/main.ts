/** `npm run bench`: measures Lineup beside bare `node:http` on this machine. README.md beside this folder says how to read it. */
import { compare } from "./compare.ts";
import { grow } from "./grow.ts";
import { HELP } from "./help.ts";
import { measureLargeLists } from "./large-list.ts";
import { readCommandLine, UsageError, type Wanted } from "./options.ts";
import { preparePlaces } from "./places.ts";
import { measurePostgresCreates } from "./postgres-creates.ts";

/** Returns what falls short of what was required, in words. */
function measure(wanted: Wanted): Promise<string[]> {
  switch (wanted.mode) {
    case "compare":
      return compare(wanted);
    case "grow":
      return grow(wanted);
    case "large-list":
      return measureLargeLists(wanted);
    case "postgres-creates":
      return measurePostgresCreates(wanted);
  }
}

async function main(): Promise<number> {
  const wanted = readCommandLine(process.argv.slice(2));
  if (wanted === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  preparePlaces(wanted);
  const shortfalls = await measure(wanted);
  for (const shortfall of shortfalls) process.stderr.write(`${shortfall}\n`);
  return shortfalls.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`${isUsage ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  if (isUsage) process.stderr.write('"npm run bench -- --help" lists the options.\n');
  process.exitCode = isUsage ? 2 : 1;
}
