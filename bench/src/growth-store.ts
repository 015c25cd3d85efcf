/**
 * Makes a store of any size, through the store's own doors: every player has the assignment, the external id and the audit entry that
 * a create would have left, every chain of the audit log is whole and sealed, and the log of requests is written as a server writes it.
 * Half of the organizations have 200 players, one has 10,000, and the others share the rest.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@lineup/server/store/open-store";
import type { Store } from "@lineup/server/store/store";
import { type FilledOrganization, makeFilledOrganization } from "./fill-organization.ts";
import { fillRequestLog } from "./growth-log.ts";
import { shareKeys, sharePlayers, type WantedGrowth } from "./growth-shares.ts";
import { startBar } from "./progress-bar.ts";

/** What the load has to know of an organization. */
export interface GrownOrganization {
  readonly orgId: string;
  readonly playerCount: number;
  readonly keys: readonly string[];
  /** Some of its players, spread over all of them. */
  readonly players: readonly { readonly id: string; readonly jsonBytes: number }[];
}

export interface GrownStore {
  readonly wanted: WantedGrowth;
  /** The first has 200 players and so many keys that they alone can carry a load; the second has 10,000 players. */
  readonly organizations: readonly GrownOrganization[];
}

/** Of all organizations together at least so many players are asked for by name, and of each so many. */
const SAMPLED_IN_ALL = 1_000;
const SAMPLED_OF_EACH = 40;
const NOTE_FILE = "grown.json";

/** A store that was made before with the same sizes is taken as it is. */
export async function growStore(dataDir: string, wanted: WantedGrowth): Promise<GrownStore> {
  const known = findGrownStore(dataDir, wanted);
  if (known !== undefined) return known;
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const settings = { databaseUrl: undefined, databaseDirectUrl: undefined, databasePoolSize: 1, secret: undefined };
  const { store } = await openStore({ dataDir, ...settings });
  let grown: GrownStore;
  try {
    grown = { wanted, organizations: await growOrganizations(store, wanted) };
  } finally {
    await store.close();
  }
  await fillRequestLog(dataDir, wanted.logRows, grown.organizations);
  writeFileSync(join(dataDir, NOTE_FILE), JSON.stringify(grown), { mode: 0o600 });
  return grown;
}

function findGrownStore(dataDir: string, wanted: WantedGrowth): GrownStore | undefined {
  const note = join(dataDir, NOTE_FILE);
  if (!existsSync(note)) return undefined;
  const grown = JSON.parse(readFileSync(note, "utf8")) as GrownStore;
  const isSame = (Object.keys(wanted) as (keyof WantedGrowth)[]).every((name) => grown.wanted[name] === wanted[name]);
  return isSame ? grown : undefined;
}

async function growOrganizations(store: Store, wanted: WantedGrowth): Promise<GrownOrganization[]> {
  const players = sharePlayers(wanted);
  const keys = shareKeys(wanted);
  const grown: GrownOrganization[] = [];
  const bar = startBar("players");
  let made = 0;
  try {
    for (const [index, count] of players.entries()) {
      const name = `Organization ${index + 1}`;
      const filled = await makeFilledOrganization(store, { name, players: count, keys: keys[index] ?? 1 });
      grown.push(sampleOf(filled, Math.max(SAMPLED_OF_EACH, Math.ceil(SAMPLED_IN_ALL / players.length))));
      made += count;
      bar.update(made, wanted.players, `${index + 1} of ${players.length} organizations`);
    }
  } finally {
    bar.end();
  }
  return grown;
}

function sampleOf({ orgId, keys, players }: FilledOrganization, count: number): GrownOrganization {
  const every = Math.max(1, Math.floor(players.length / count));
  const sampled = players.filter((_, index) => index % every === 0);
  return {
    orgId,
    keys,
    playerCount: players.length,
    players: sampled.map((player) => ({ id: player.id, jsonBytes: Buffer.byteLength(JSON.stringify(player)) })),
  };
}
