import { askLocal, askWorld } from "./asked-server.ts";
import { type Finding, failure, type Installation, makeCheck, ok, type Subject, skipped, warning } from "./check.ts";
import { readFound, readPostgres } from "./postgres-facts.ts";
import { readRedis } from "./redis-checks.ts";

const APART_MS = 1_000;
const FAR_APART_MS = 5_000;
/** A Date header has whole seconds. */
const HEADER_APART_MS = 2_000;
const FOLLOW = "let its clock follow NTP: timedatectl set-ntp true, or chrony; timedatectl shows whether it does";

const SERVER_HERE = "the server";

interface OtherClock {
  readonly name: string;
  readonly aheadMs: number;
  readonly allowedMs: number;
}

const clocks = makeCheck("clocks", "Clocks", async (installation) => {
  const others = await listClocks(installation);
  const findings = others.filter(({ aheadMs, allowedMs }) => Math.abs(aheadMs) > allowedMs).map(describe);
  if (findings.length > 0) return findings;
  // A server here has the clock of this machine: it may be wrong, as in a container of another time, and proves nothing where it is right.
  const elsewhere = others.filter(({ name }) => name !== SERVER_HERE);
  if (elsewhere.length === 0)
    return skipped("No clock of another machine is known; timedatectl shows whether this one follows NTP.");
  return ok(`this machine agrees with ${elsewhere.map(({ name }) => name).join(", ")}`);
});

function describe({ name, aheadMs }: OtherClock): Finding {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} seconds`;
  const found = `The clock of ${name} is ${seconds} ${aheadMs > 0 ? "ahead of" : "behind"} this machine's.`;
  const todo = `On whichever is wrong (date -u shows it), ${FOLLOW}.`;
  return (Math.abs(aheadMs) > FAR_APART_MS ? failure : warning)(found, todo);
}

/** Those that answer; that others do not, their own checks say. */
async function listClocks(installation: Installation): Promise<OtherClock[]> {
  const { config, localUrl, worldUrl } = installation;
  const asked: Promise<OtherClock>[] = [];
  const add = (name: string, aheadMs: Promise<number>, allowedMs = APART_MS) =>
    asked.push(aheadMs.then((ms) => ({ name, aheadMs: ms, allowedMs })));
  if (config.databaseUrl !== undefined)
    add(
      "PostgreSQL",
      installation.read(readPostgres).then((facts) => facts.aheadMs),
    );
  if (config.redisUrl !== undefined)
    add(
      "Redis",
      installation.read(readRedis).then((facts) => facts.aheadMs),
    );
  for (const [name, url, ask] of [
    [SERVER_HERE, localUrl, askLocal],
    [`${worldUrl}`, worldUrl, askWorld],
  ] as const) {
    if (url === undefined) continue;
    const ahead = installation.read(ask).then(({ health: { headers, at } }) => {
      if (headers.date === undefined) throw new Error("It tells no time.");
      // On average half a second is cut off.
      return Date.parse(headers.date) + 500 - at;
    });
    add(name, ahead, HEADER_APART_MS);
  }
  return (await Promise.allSettled(asked)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

const past = makeCheck("clock-and-data", "Clock and data", async (installation) => {
  const newestAt = await installation.read(readFound).then(
    (found) => found.newestAt,
    () => null,
  );
  if (newestAt === null) return skipped("There is nothing to compare with.");
  const aheadMs = newestAt - Date.now();
  if (aheadMs <= FAR_APART_MS) return ok("nothing in the store is later than now");
  const found = `The store's last entry is from ${new Date(newestAt).toISOString()}, which is later than now: this machine's clock is behind, or was ahead.`;
  return failure(found, `If "date -u" shows the wrong time, ${FOLLOW}.`);
});

export const CLOCK_SUBJECT: Subject = { title: "Clocks", checks: [clocks, past] };
