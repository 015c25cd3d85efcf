/** Two organizations and the people in and around them, each with a browser of their own. */
import type { ActionName } from "@lineup/api/dashboard/actions";
import type { DATA_ACTIONS } from "@lineup/api/dashboard/data";
import type { Role } from "@lineup/api/dashboard/members";
import type { IdPrefix } from "@lineup/api/endpoints";
import { putMember } from "../../src/identity/members.ts";
import { insertUser } from "../../src/identity/users.ts";
import { makeId } from "../../src/store/ids.ts";
import { RECORD_TABLES } from "../../src/store/schema.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, makeOrg, startTestServer, type TestServer, type TestServerOptions } from "../test-server.ts";
import { readRows } from "../test-store.ts";
import { type ActionInput, Visitor } from "./visitor.ts";

/** By what they are to the first organization. */
export const VISITORS = [
  "nobody",
  "owner",
  "compliance",
  "manager",
  "viewer",
  /** Owner of the second organization alone. */
  "stranger",
  /** Viewer of the first and owner of the second. */
  "guest",
  /** Of the server, and member of nothing. */
  "operator",
  /** Owner of the first, whose session was ended elsewhere. */
  "ended",
] as const;
export type VisitorName = (typeof VISITORS)[number];

export interface World {
  readonly server: TestServer;
  readonly first: string;
  readonly second: string;
  readonly visitors: Readonly<Record<VisitorName, Visitor>>;
  readonly userIds: Readonly<Record<Exclude<VisitorName, "nobody">, string>>;
  /** A member of the second organization, for those who would name somebody else. */
  readonly keyIds: { readonly first: string; readonly second: string };
  readonly webhookIds: { readonly first: string; readonly second: string };
  stop(): Promise<void>;
}

let people = 0;

export async function makeUser(server: TestServer, name: string, isOperator = false): Promise<string> {
  const email = `${name.toLowerCase()}-${++people}-${process.pid}@example.com`;
  const user = await server.store.writePeople(TEST_ORIGIN, (operator) =>
    insertUser(operator, { name, email, isOperator }, Date.now()),
  );
  return user.id;
}

export async function join(server: TestServer, orgId: string, userId: string, role: Role): Promise<void> {
  await server.store.writePeople(TEST_ORIGIN, async (operator, recording) => {
    await putMember(operator, recording, { orgId, user: { id: userId, name: userId }, role }, Date.now());
  });
}

export async function makeWorld(options: TestServerOptions = {}): Promise<World> {
  const server = await startTestServer(options);
  const first = await makeOrg(server, "Pro", "First");
  const second = await makeOrg(server, "Pro", "Second");
  const memberships: Readonly<Record<Exclude<VisitorName, "nobody">, readonly (readonly [string, Role])[]>> = {
    owner: [[first, "owner"]],
    compliance: [[first, "compliance"]],
    manager: [[first, "manager"]],
    viewer: [[first, "viewer"]],
    stranger: [[second, "owner"]],
    guest: [
      [first, "viewer"],
      [second, "owner"],
    ],
    operator: [],
    ended: [[first, "owner"]],
  };
  const visitors: Partial<Record<VisitorName, Visitor>> = { nobody: new Visitor(server) };
  const userIds: Record<string, string> = {};
  for (const [name, roles] of Object.entries(memberships)) {
    const userId = await makeUser(server, name, name === "operator");
    for (const [orgId, role] of roles) await join(server, orgId, userId, role);
    userIds[name] = userId;
    visitors[name as VisitorName] = await new Visitor(server).signInAs(userId);
  }
  const elsewhere = await new Visitor(server).signInAs(userIds.ended ?? "");
  await elsewhere.do("endAllSessions");
  return {
    server,
    first,
    second,
    visitors: visitors as World["visitors"],
    userIds: userIds as World["userIds"],
    keyIds: { first: (await makeKey(server, first)).id, second: (await makeKey(server, second)).id },
    webhookIds: { first: await putWebhook(server, first), second: await putWebhook(server, second) },
    stop: () => server.stop(),
  };
}

/** One that nothing is sent to. */
async function putWebhook(server: TestServer, orgId: string): Promise<string> {
  const id = makeId("webhook");
  const facts = { url: "https://192.0.2.1/", description: "", secret: "closed", created_by: "test" };
  const times = { disabled_at: 1, created_at: 1, updated_at: 1 };
  await server.store.writeOrg(orgId, TEST_ORIGIN, (org) =>
    org.insertInto("webhooks", [{ id, ...facts, position: 0, ...times }]).execute(),
  );
  return id;
}

/** What each action could be asked to do, so that only who asks decides. */
export function sampleInputs(world: World, orgId: string): Readonly<Record<ActionName, ActionInput>> {
  const password = "correct horse battery";
  const token = "t".repeat(43);
  const code = "123456";
  const keyId = orgId === world.second ? world.keyIds.second : world.keyIds.first;
  const userId = orgId === world.second ? world.userIds.guest : world.userIds.viewer;
  const ofOrg = { path: { orgId } };
  const ofKey = { path: { orgId, keyId } };
  const ofMember = { path: { orgId, userId } };
  const webhookId = orgId === world.second ? world.webhookIds.second : world.webhookIds.first;
  const ofWebhook = { path: { orgId, webhookId } };
  return {
    getSession: {},
    signIn: { body: { email: "who@example.com", password } },
    verifySecondFactor: { body: { code, kind: "app" } },
    signOut: {},
    describeLink: { body: { token } },
    signInByLink: { body: { token } },
    acceptInvitation: { body: { token, name: "New", password } },
    resetPassword: { body: { token, password } },
    requestPasswordReset: { body: { email: "who@example.com" } },
    setUp: { body: { token, name: "New", email: "new@example.com", password } },
    updateProfile: { body: { name: "Another name" } },
    changePassword: { body: { password } },
    listSessions: {},
    endSession: { path: { sessionId: "a-session" } },
    endAllSessions: {},
    beginSecondFactor: { body: { password } },
    confirmSecondFactor: { body: { code } },
    renewRecoveryCodes: { body: { password } },
    endSecondFactor: { body: { password } },
    getHome: ofOrg,
    getOrganization: ofOrg,
    renameOrganization: { ...ofOrg, body: { name: "Renamed" } },
    leaveOrganization: ofOrg,
    listMembers: ofOrg,
    changeRole: { ...ofMember, body: { role: "manager" } },
    removeMember: ofMember,
    makeResetLink: ofMember,
    invite: { ...ofOrg, body: { email: "new@example.com", role: "viewer" } },
    withdrawInvitation: { path: { orgId, linkId: makeId("link") } },
    listOrganizations: {},
    createOrganization: { body: { name: "Third", tier: "Free", ownerEmail: "third@example.com" } },
    setTier: { path: { targetOrgId: orgId }, body: { tier: "Free" } },
    makeResetLinkAsOperator: { body: { email: "who@example.com" } },
    listKeys: ofOrg,
    createKey: { ...ofOrg, body: { name: "A key", permissions: ["players:read"], expiresAt: null } },
    getKey: ofKey,
    getKeyUsage: ofKey,
    updateKey: { ...ofKey, body: { name: "Renamed" } },
    rotateKey: { ...ofKey, body: { overlap: "24h" } },
    revokeKey: { ...ofKey, body: { name: "Test key" } },
    listRequests: ofOrg,
    getRequest: { path: { orgId, requestId: makeId("req") } },
    listAudit: ofOrg,
    exportAudit: { ...ofOrg, body: {} },
    listWebhooks: ofOrg,
    createWebhook: { ...ofOrg, body: { url: "https://example.com/hook" } },
    getWebhook: ofWebhook,
    updateWebhook: { ...ofWebhook, body: { description: "Another" } },
    testWebhook: ofWebhook,
    rotateWebhook: ofWebhook,
    disableWebhook: ofWebhook,
    enableWebhook: ofWebhook,
    deleteWebhook: ofWebhook,
    listDeliveries: ofWebhook,
    replayDelivery: { path: { ...ofWebhook.path, deliveryId: makeId("change") } },
    replayWebhook: { ...ofWebhook, body: { since: Date.now() } },
    listCalendarLinks: ofOrg,
    createCalendarLink: { ...ofOrg, body: SAMPLE_CALENDAR },
    takeBackCalendarLink: { path: { orgId, calendarId: makeId("calendar") } },
    listMemberCalendarLinks: ofOrg,
    takeBackMemberCalendarLink: { path: { orgId, calendarId: makeId("calendar") } },
    previewErasure: { path: { orgId, recordId: makeId("player") } },
    erasePerson: { path: { orgId, recordId: makeId("player") } },
    followRecords: ofOrg,
    listRecordHistory: { path: { orgId, recordId: makeId("player") } },
    ...sampleDataInputs(orgId),
    previewImport: { ...ofOrg, body: { files: SAMPLE_FILES } },
    markImportFaults: { ...ofOrg, body: { files: SAMPLE_FILES } },
    applyImport: { ...ofOrg, body: { files: SAMPLE_FILES, fingerprint: "0" } },
    listExampleFiles: ofOrg,
    exportData: { ...ofOrg, body: { format: "csv" } },
  };
}

const SAMPLE_CALENDAR = { name: "Mine", teamId: null, kinds: ["match"], contractEnds: false };
const SAMPLE_FILES = [{ name: "teams.csv", base64: btoa("externalId,name,game\na,Alpha,LoL\n") }];

type DataAction = (typeof DATA_ACTIONS)[number]["name"];

function sampleDataInputs(orgId: string): Readonly<Record<DataAction, ActionInput>> {
  const ofOrg = { path: { orgId } };
  const of = (kind: IdPrefix) => ({ path: { orgId, recordId: makeId(kind) } });
  const seen = { updatedAt: 0 };
  return {
    listPlayers: ofOrg,
    getPlayer: of("player"),
    createPlayer: { ...ofOrg, body: { ign: "New", role: "Player" } },
    previewPlayerDeletion: of("player"),
    deletePlayer: { ...of("player"), body: seen },
    updatePlayer: { ...of("player"), body: seen },
    listTeams: ofOrg,
    getTeam: of("team"),
    createTeam: { ...ofOrg, body: { name: "New", game: "LoL" } },
    previewTeamDeletion: of("team"),
    deleteTeam: { ...of("team"), body: seen },
    updateTeam: { ...of("team"), body: seen },
    listRoster: ofOrg,
    getAssignment: of("assignment"),
    updateAssignment: { ...of("assignment"), body: seen },
    listAssignments: of("player"),
    movePlayer: { ...of("player"), body: seen },
    undoMove: { ...of("player"), body: seen },
    listSchedule: ofOrg,
    getEvent: of("event"),
    createEvent: { ...ofOrg, body: { title: "New", startsAt: 0 } },
    previewEventDeletion: of("event"),
    deleteEvent: { ...of("event"), body: seen },
    updateEvent: { ...of("event"), body: seen },
    moveEvent: { ...of("event"), body: { ...seen, startsAt: 0 } },
    postponeEvent: { ...of("event"), body: seen },
    cancelEvent: { ...of("event"), body: seen },
    completeEvent: { ...of("event"), body: { ...seen, result: null } },
    listProspects: ofOrg,
    getProspect: of("prospect"),
    createProspect: { ...ofOrg, body: { ign: "New" } },
    previewProspectDeletion: of("prospect"),
    deleteProspect: { ...of("prospect"), body: seen },
    updateProspect: { ...of("prospect"), body: seen },
    signProspect: { ...of("prospect"), body: seen },
    listContracts: ofOrg,
    getContract: of("contract"),
    createContract: { ...ofOrg, body: { playerId: makeId("player"), startDate: 0 } },
    previewContractDeletion: of("contract"),
    deleteContract: { ...of("contract"), body: seen },
    updateContract: { ...of("contract"), body: seen },
    signContract: { ...of("contract"), body: seen },
    renewContract: { ...of("contract"), body: { ...seen, endDate: null } },
    terminateContract: { ...of("contract"), body: seen },
  };
}

const JUDGED_TABLES = {
  ...Object.fromEntries(RECORD_TABLES.map((table) => [table, "org_id, id"])),
  organizations: "id",
  api_keys: "id",
  users: "id",
  accounts: "id",
  sessions: "id",
  members: "org_id, user_id",
  links: "id",
  two_factors: "id",
  audit: "org_id, seq",
  webhooks: "org_id, id",
  webhook_deliveries: "org_id, webhook_id, id",
  calendar_links: "org_id, id",
};

/** All that an action could change. */
export async function readWorld({ server }: World): Promise<string> {
  const queries = Object.entries(JUDGED_TABLES).map(([table, order]) => `SELECT * FROM ${table} ORDER BY ${order}`);
  return JSON.stringify(await readRows(server.dataDir, queries));
}
