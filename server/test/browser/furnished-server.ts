/**
 * A server with an organization that looks as one does after half a year: people of every role, keys in every state, a week of requests,
 * an audit log; and one beside it that has nothing yet. For tests that look at pages, and for their pictures.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { createOrganization, setTier } from "../../src/access/organizations.ts";
import { sampleTables } from "../../src/sample/sample-organization.ts";
import { commandOrigin } from "../../src/store/origin.ts";
import type { Store } from "../../src/store/store.ts";
import { importInto } from "../../src/transfer/import.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore } from "../test-store.ts";
import { listTraffic, type MadeKeys, makeKeys } from "./furnished-keys.ts";
import { makePeople, makeToken, type People, type PersonName } from "./furnished-people.ts";
import { recordTraffic } from "./furnished-traffic.ts";
import { makeTotp } from "./totp.ts";

const DAY_MS = 86_400_000;

export interface Furnishing {
  readonly orgId: string;
  readonly emptyOrgId: string;
  readonly people: People;
  readonly keys: MadeKeys;
}

export interface FurnishedServer extends Furnishing {
  readonly server: TestServer;
  /** Signs a browser in, past the pages. */
  signIn(context: BrowserContext, person: PersonName): Promise<void>;
  stop(): Promise<void>;
}

export async function startFurnishedServer(): Promise<FurnishedServer> {
  const now = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-furnished-"));
  let furnishing: Furnishing | undefined;
  const server = await startTestServer({
    dataDir,
    async beforeListening(store) {
      furnishing = await furnish(store, now);
      await recordTraffic({ store, dataDir, orgId: furnishing.orgId, now }, listTraffic(furnishing.keys));
    },
  });
  if (furnishing === undefined) throw new Error("The server began to listen before it was furnished.");
  const { people } = furnishing;
  const signIn = async (context: BrowserContext, person: PersonName) => {
    const token = await makeToken(server.store, { kind: "sign-in", user: people[person] });
    await takeAction(context, server.origin, "/internal/links/sign-in", { token });
  };
  const stop = async () => {
    await server.stop();
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...furnishing, server, signIn, stop };
}

/** Takes an action of the dashboard with a browser's cookies, past its pages. */
export async function takeAction(
  context: BrowserContext,
  origin: string,
  path: string,
  data: object,
): Promise<Record<string, unknown>> {
  const answer = await context.request.post(origin + path, { data, headers: { origin } });
  const body = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok()) throw new Error(`POST ${path} was answered with ${JSON.stringify(body)}.`);
  return body;
}

/** Turns the second factor on for whoever is signed in there. Returns its secret. */
export async function turnOnSecondFactor(context: BrowserContext, origin: string, password: string): Promise<string> {
  const begun = await takeAction(context, origin, "/internal/account/second-factor", { password });
  const secret = String(begun.secret);
  await takeAction(context, origin, "/internal/account/second-factor/confirm", { code: makeTotp(secret) });
  return secret;
}

async function furnish(store: Store, now: number): Promise<Furnishing> {
  const began = now - 212 * DAY_MS;
  const command = commandOrigin("lineup org create");
  const { id: orgId } = await createOrganization(store, { name: "Northwind Esports", tier: "Basic" }, command, began);
  const empty = { name: "Tidewater Gaming", tier: "Free" } as const;
  const { id: emptyOrgId } = await createOrganization(store, empty, command, now - DAY_MS);
  const people = await makePeople(store, orgId, emptyOrgId, now);
  const origin = commandOrigin("lineup import");
  await importInto(store, orgId, { tables: sampleTables(now) }, { origin, now: () => now - 205 * DAY_MS });
  await setTier(store, orgId, "Pro", commandOrigin("lineup org tier"), now - 201 * DAY_MS);
  const keys = await makeKeys(store, orgId, people, now);
  return { orgId, emptyOrgId, people, keys };
}
