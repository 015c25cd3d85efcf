/**
 * Prints which files of ours a request visits: those of which a function runs between the request and its answer. Run by
 * visited-files.test.ts in a process of its own, because what tests are run by looks at functions as well.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BASE_PATH } from "@lineup/api/endpoint";
import { createKey } from "../src/access/key-admin.ts";
import { createOrganization } from "../src/access/organizations.ts";
import { startServer } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { TEST_ORIGIN } from "./test-origin.ts";

/** Timers run beside a request now and then, so a file counts that every one of these visits. */
const TIMES = 20;
/** What works by timers alone, and on a busy machine beside every request. */
const BESIDE = /^server\/src\/(events\/|limits\/admission-journal)/;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const dataDir = await mkdtemp(join(tmpdir(), "lineup-visited-"));
const { address, store, stop } = await startServer(readConfig({ LINEUP_DATA_DIR: dataDir, LINEUP_PORT: "0" }));
const { id: orgId } = await createOrganization(store, { name: "Visited", tier: "Enterprise" }, TEST_ORIGIN);
const wanted = { orgId, name: "Visitor", permissions: ["players:read", "players:write"], expiresAt: null } as const;
const { key } = await createKey(store, wanted, TEST_ORIGIN);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true });

const players = `${address}${BASE_PATH}/players`;

async function ask(method: string, url: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}.`);
  return answer;
}

async function findVisited(method: string, url: string, body?: object): Promise<Set<string>> {
  // What has run before is left out of the next.
  await session.post("Profiler.takePreciseCoverage");
  await (await ask(method, url, body)).text();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const visited = result.filter(({ functions }) =>
    functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
  );
  const paths = visited.map(({ url }) => (url.startsWith("file:") ? fileURLToPath(url).slice(ROOT.length) : ""));
  return new Set(paths.filter((path) => /^(api|server)\/src\//.test(path) && !BESIDE.test(path)));
}

const made = (await (await ask("POST", players, { ign: "Vex", role: "Player" })).json()) as { data: { id: string } };
const player = `${players}/${made.data.id}`;
const visits = { GET: [] as Set<string>[], PATCH: [] as Set<string>[] };
for (let time = 0; time < TIMES; time++) {
  // The write before makes the read one from the store.
  visits.PATCH.push(await findVisited("PATCH", player, { ign: `Vex ${time}` }));
  visits.GET.push(await findVisited("GET", `${players}?status=active`));
}
const inAll = (sets: Set<string>[]) => [...sets.reduce((all, one) => all.intersection(one))].toSorted();
process.stdout.write(JSON.stringify({ GET: inAll(visits.GET), PATCH: inAll(visits.PATCH) }));
session.disconnect();
await stop();
await rm(dataDir, { recursive: true });
