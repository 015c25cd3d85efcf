/** Kills servers in the middle of writes, as often as asked: `npm run kill-rounds -- 200`. */
import { runKillRounds } from "../server/test/durability/kill-rounds.ts";

const asked = process.argv[2] ?? "25";
const rounds = Number(asked);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`The number of rounds must be a whole number of at least 1, not "${asked}".`);
  process.exit(2);
}

const startedAt = performance.now();
const isTerminal = process.stdout.isTTY;
const describe = (report: { rounds: number; acknowledged: number; keptUnderWay: number; lostUnderWay: number }) =>
  `${report.rounds} of ${rounds} kills; ${report.acknowledged} writes acknowledged and all there; ` +
  `of those cut off ${report.keptUnderWay} are whole and ${report.lostUnderWay} never were`;

try {
  const report = await runKillRounds(rounds, (progress) => {
    if (isTerminal) process.stdout.write(`\r\x1b[K${describe(progress)}`);
    else if (progress.rounds % 10 === 0) console.log(describe(progress));
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${isTerminal ? "\r\x1b[K" : ""}${describe(report)}. Integrity ok after each, in ${seconds} s.`);
} catch (error) {
  console.error(`${isTerminal ? "\n" : ""}${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
