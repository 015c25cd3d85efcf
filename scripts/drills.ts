/** Runs what `npm test` leaves out for its length: all of it, or the `*.drill.ts` files that are named, each with its own count where one is given. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const USAGE = `Usage: npm run drills -- [NAME[=COUNT] …] [percent=PERCENT] [seed=SEED]

  npm run drills                                        all of them, and the long tests that vitest.config.ts lists
  npm run drills -- kill-rounds=200                     one file, with a count of its own
  npm run drills -- stale-answers=100000 rolling-restart
  npm run drills -- percent=10                          all of them, with a tenth of their counts
  npm run drills -- seed=42 in-step=10000               from another seed

A name is that of a file without .drill.ts. CONTRIBUTING.md lists them.`;

const root = fileURLToPath(new URL("..", import.meta.url));
const known = new Set(globSync("server/**/*.drill.ts", { cwd: root }).map((file) => basename(file, ".drill.ts")));
/** What is about all of them and needs a number. */
const OPTIONS = new Set(["seed", "percent"]);
const counts: Record<string, number> = {};
const names: string[] = [];
for (const word of process.argv.slice(2)) {
  const [, name = "", count] = /^([a-z-]+)(?:=([1-9]\d*))?$/.exec(word) ?? [];
  if (OPTIONS.has(name) ? count === undefined : !known.has(name)) {
    console.error(word === "--help" ? USAGE : `"${word}" is not understood.\n\n${USAGE}`);
    process.exit(word === "--help" ? 0 : 2);
  }
  if (!OPTIONS.has(name)) names.push(`/${name}.drill.ts`);
  if (count !== undefined) counts[name] = Number(count);
}
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, "run", ...names], {
  env: { ...process.env, LINEUP_DRILLS: JSON.stringify(counts) },
  stdio: "inherit",
});
process.exit(status ?? 1);
