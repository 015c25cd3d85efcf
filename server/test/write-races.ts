/** Writers that meet, on one server or on several nodes of one database, and what came of it. */
import type { MadeKey } from "../src/access/key-admin.ts";
import { TEST_ORIGIN } from "./test-origin.ts";
import { call, makeKey, type Reply, type TestServer } from "./test-server.ts";

const PLAYER = { ign: "Vex", role: "Player" };

export interface CreatedAtOnce {
  readonly statuses: readonly number[];
  /** How many differ, to the letter. */
  readonly answers: number;
  /** How many were not answered again, but made. */
  readonly made: number;
  /** How many players there are afterwards. */
  readonly players: number;
}

/** The same request under the same `Idempotency-Key`, from all sides at the same moment. They come while somebody else writes, and so wait together. */
export async function createAtOnce(
  servers: readonly TestServer[],
  { id: keyId, orgId, key }: MadeKey,
  count: number,
): Promise<CreatedAtOnce> {
  const headers = { "idempotency-key": keyId };
  const others = Promise.withResolvers<void>();
  const writing = serverAt(servers, 0).store.writeOrgAtLength(orgId, TEST_ORIGIN, () => others.promise);
  const sent = Array.from({ length: count }, (_, index) =>
    call(serverAt(servers, index), "POST", "/players", { key, body: PLAYER, headers }),
  );
  // Asked behind them, answered when most of them wait.
  for (let index = 0; index < count; index++) await call(serverAt(servers, index), "GET", "/me", { key });
  others.resolve();
  const [replies] = await Promise.all([Promise.all(sent), writing]);
  const { body } = await call(serverAt(servers, 0), "GET", "/players", { key });
  return {
    statuses: [...new Set(replies.map(({ status }) => status))],
    answers: new Set(replies.map(({ text, headers }) => `${text} ${headers.get("location")}`)).size,
    made: replies.filter((reply) => reply.headers.get("idempotent-replayed") !== "true").length,
    players: body.meta.count,
  };
}

/** Of a key's minute, so that none is refused for its limit. */
const RACES_A_KEY = 300;

export interface RacedUpdates {
  readonly races: number;
  /** In which one update was made, the other refused for its `If-Match`, and the record is as the winner was told. */
  readonly fair: number;
}

/** Two updates at a time, both of the record as it then is. The winner's tag is what both of the next two have seen. */
export async function raceUpdates(servers: readonly TestServer[], orgId: string, races: number): Promise<RacedUpdates> {
  const server = serverAt(servers, 0);
  let { key } = await makeKey(server, orgId);
  const made = await call(server, "POST", "/players", { key, body: PLAYER });
  const path = `/players/${made.body.data.id}`;
  let tag = tagOf(made);
  let fair = 0;
  for (let race = 0; race < races; race++) {
    if (race > 0 && race % RACES_A_KEY === 0) key = (await makeKey(server, orgId)).key;
    const options = (ign: string) => ({ key, body: { ign }, headers: { "if-match": tag } });
    const [one, other] = await Promise.all([
      call(serverAt(servers, race), "PATCH", path, options(`One ${race}`)),
      call(serverAt(servers, race + 1), "PATCH", path, options(`Other ${race}`)),
    ]);
    const [winner, loser] = one.status === 200 ? [one, other] : [other, one];
    // The node that wrote shows it at once.
    const there = await call(serverAt(servers, winner === one ? race : race + 1), "GET", path, { key });
    const isFair = winner.status === 200 && isRefused(loser) && tagOf(there) === tagOf(winner);
    if (isFair) fair++;
    tag = tagOf(there);
  }
  return { races, fair };
}

function isRefused({ status, body }: Reply): boolean {
  return status === 400 && body.error.details[0].field === "If-Match";
}

function tagOf({ headers }: Reply): string {
  return headers.get("etag") ?? "none";
}

function serverAt(servers: readonly TestServer[], index: number): TestServer {
  const server = servers[index % servers.length];
  if (server === undefined) throw new Error("There are no servers.");
  return server;
}
