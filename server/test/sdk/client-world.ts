/** A server, a relay before it, and a client that knows the relay's address only. */
import type { Permission } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import { onTestFinished } from "vitest";
import { Lineup } from "../../../sdk/src/lineup.ts";
import type { LineupOptions, Retry } from "../../../sdk/src/transport.ts";
import { playerRules } from "../../src/resources/players/player-rules.ts";
import { deleteRecord, tell } from "../../src/resources/record-writes.ts";
import { insertPlayers, insertTeams, makePlayer, makeTeam } from "../contract/seed-records.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, startTestServer, type TestServer, type TestServerOptions } from "../test-server.ts";
import { ClientRelay } from "./client-relay.ts";

export interface ClientWorld {
  readonly server: TestServer;
  readonly relay: ClientRelay;
}

/** Goes with the test that asks for it. */
export async function openWorld(options: TestServerOptions = {}): Promise<ClientWorld> {
  const server = await startTestServer(options);
  onTestFinished(() => server.stop());
  const relay = await ClientRelay.start(server.origin);
  onTestFinished(() => relay.stop());
  return { server, relay };
}

export interface Caller {
  readonly orgId: string;
  readonly key: string;
  readonly keyId: string;
  readonly lineup: Lineup;
  /** What was tried again so far. */
  readonly retries: Retry[];
}

/** A client of an organization of its own. */
export async function makeCaller(
  { server, relay }: ClientWorld,
  options: Partial<LineupOptions> & { readonly tier?: Tier; readonly permissions?: readonly Permission[] } = {},
): Promise<Caller> {
  const { tier, permissions, ...rest } = options;
  const orgId = await makeOrg(server, tier);
  const { id: keyId, key } = await makeKey(server, orgId, permissions);
  const retries: Retry[] = [];
  const lineup = new Lineup({ baseUrl: relay.origin, key, onRetry: (retry) => retries.push(retry), ...rest });
  return { orgId, key, keyId, lineup, retries };
}

export async function deletePlayer({ server }: ClientWorld, orgId: string, id: string): Promise<void> {
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    const context = { org, now: Date.now() };
    return tell(context, await deleteRecord(context, playerRules, id));
  });
}

/** As many as are asked for, quicker than through the API; the audit log does not know of them. */
export async function addPlayers({ server }: ClientWorld, orgId: string, count: number): Promise<void> {
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (let start = 0; start < count; start += 500) {
      const size = Math.min(500, count - start);
      const players = Array.from({ length: size }, (_, index) => makePlayer({ ign: `Player ${start + index}` }));
      await insertPlayers(org, players);
    }
  });
}

/** One of League of Legends; returns its id. */
export async function addTeam(server: TestServer, orgId: string): Promise<string> {
  const team = makeTeam({ name: "Northlight" });
  await server.store.writeOrg(orgId, TEST_ORIGIN, (org) => insertTeams(org, [team]));
  return team.id;
}
