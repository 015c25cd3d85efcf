/**
 * A server with an organization that looks as one does after half a year: people of every role, keys and webhooks in every state, a week of requests,
 * an audit log; and one beside it that has nothing yet. For tests that look at pages, and for their pictures.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TIERS } from "@lineup/api/tiers";
import type { BrowserContext } from "playwright-core";
import { createOrganization, setTier } from "../../src/access/organizations.ts";
import { importIntoJournal } from "../../src/limits/journal-transfer.ts";
import { listProspectRounds, sampleTables } from "../../src/sample/sample-organization.ts";
import { commandOrigin } from "../../src/store/audit-entry.ts";
import { LIMITS_FILE } from "../../src/store/data-folder.ts";
import type { Store } from "../../src/store/store.ts";
import { importInto } from "../../src/transfer/import.ts";
import type { ImportTables } from "../../src/transfer/import-source.ts";
import type { TestServer } from "../test-server.ts";
import { dropTestStore, openTestStore } from "../test-store.ts";
import { Receiver } from "../webhooks/receiver.ts";
import { startSendingServer } from "../webhooks/webhook-world.ts";
import { listTraffic, type MadeKeys, makeKeys } from "./furnished-keys.ts";
import { enterAs, makePeople, PASSWORD, type People, type PersonName } from "./furnished-people.ts";
import { recordTraffic } from "./furnished-traffic.ts";
import { type MadeWebhooks, makeWebhooks } from "./furnished-webhooks.ts";
import { makeTotp } from "./totp.ts";

const DAY_MS = 86_400_000;
/** Small enough for one of the keys to have run into its limit. */
const TIER = "Basic";

export interface Furnishing {
  readonly orgId: string;
  readonly emptyOrgId: string;
  readonly people: People;
  readonly keys: MadeKeys;
  readonly webhooks: MadeWebhooks;
}

export interface FurnishedServer extends Furnishing {
  readonly server: TestServer;
  /** An endpoint that webhooks can be made for. */
  readonly endpoint: Receiver;
  /** Signs a browser in, past the pages. */
  signIn(context: BrowserContext, person: PersonName): Promise<void>;
  stop(): Promise<void>;
}

export async function startFurnishedServer(): Promise<FurnishedServer> {
  const now = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-furnished-"));
  const store = await openTestStore(dataDir);
  const furnishing = await furnish(store, dataDir, now);
  const place = { store, dataDir, orgId: furnishing.orgId, now };
  const counted = await recordTraffic(place, listTraffic(furnishing.keys), TIERS[TIER].perDay);
  await importIntoJournal(join(dataDir, LIMITS_FILE), counted);
  await store.close();
  const server = await startSendingServer({ dataDir });
  const endpoint = await Receiver.start();
  const { people } = furnishing;
  await turnOnSecondFactor(server.origin, people.careful.email);
  const signIn = (context: BrowserContext, person: PersonName) => enterAs(server, context, people[person]);
  const stop = async () => {
    await server.stop();
    await endpoint.stop();
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...furnishing, server, endpoint, signIn, stop };
}

/** Turns on the second factor of anyone who has the password. */
async function turnOnSecondFactor(origin: string, email: string): Promise<void> {
  let cookie = "";
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", origin, cookie };
    const answer = await fetch(`${origin}/internal${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path} was answered with ${await answer.text()}.`);
    const cookies = answer.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
    if (cookies.length > 0) cookie = cookies.join("; ");
    return (await answer.json()) as Record<string, unknown>;
  };
  await post("/session", { email, password: PASSWORD });
  const { secret } = await post("/account/second-factor", { password: PASSWORD });
  await post("/account/second-factor/confirm", { code: makeTotp(String(secret)) });
}

async function furnish(store: Store, dataDir: string, now: number): Promise<Furnishing> {
  const began = now - 212 * DAY_MS;
  const command = commandOrigin("lineup org create");
  const { id: orgId } = await createOrganization(store, { name: "Northwind Esports", tier: "Free" }, command, began);
  const empty = { name: "Tidewater Gaming", tier: "Free" } as const;
  const { id: emptyOrgId } = await createOrganization(store, empty, command, now - DAY_MS);
  const people = await makePeople(store, orgId, emptyOrgId, now);
  const origin = commandOrigin("lineup import");
  const tables = sampleTables(now);
  const [first, ...rounds] = listProspectRounds(now);
  const load = (some: ImportTables, at: number) =>
    importInto(store, orgId, { tables: some }, { origin, now: () => at });
  await load({ ...tables, prospects: first?.prospects ?? [] }, now - 205 * DAY_MS);
  await setTier(store, orgId, TIER, commandOrigin("lineup org tier"), now - 201 * DAY_MS);
  const keys = await makeKeys(store, orgId, people, now);
  // Before there are webhooks, whose deliveries are made up.
  for (const { prospects, at } of rounds) await load({ prospects }, at);
  await load({ prospects: tables.prospects }, now - DAY_MS);
  const webhooks = await makeWebhooks(store, { dataDir, orgId, people, now });
  return { orgId, emptyOrgId, people, keys, webhooks };
}
