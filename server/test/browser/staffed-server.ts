/** A server with one organization that holds what a test puts in, and people of every role to look at it. */
import type { BrowserContext } from "playwright-core";
import { importInto } from "../../src/transfer/import.ts";
import type { ImportTables } from "../../src/transfer/import-source.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { enterAs, makePeople, type People, type PersonName } from "./furnished-people.ts";

export interface StaffedServer {
  readonly server: TestServer;
  readonly orgId: string;
  readonly people: People;
  /** Signs a browser in, past the pages. */
  signIn(context: BrowserContext, person: PersonName): Promise<void>;
  stop(): Promise<void>;
}

export async function startStaffedServer(tables: ImportTables): Promise<StaffedServer> {
  const server = await startTestServer();
  const now = Date.now();
  const orgId = await makeOrg(server);
  const people = await makePeople(server.store, orgId, await makeOrg(server, "Free", "Another organization"), now);
  await importInto(server.store, orgId, { tables }, { origin: TEST_ORIGIN });
  return {
    server,
    orgId,
    people,
    signIn: (context, person) => enterAs(server, context, people[person]),
    stop: () => server.stop(),
  };
}
