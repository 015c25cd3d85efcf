import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { type ActionName, requireAction } from "@lineup/api/dashboard/actions";
import type { Role } from "@lineup/api/dashboard/members";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { makeWorld, readWorld, sampleInputs, VISITORS, type VisitorName, type World } from "./dashboard-world.ts";
import { ACTION_NAMES, type ActionReply, isOfOrganization, isWrite } from "./visitor.ts";

/**
 * Who may do what, from the words of those who asked for the dashboard: the owner everything; compliance keys, requests and the audit log;
 * the manager data; the viewer looks. Written by hand, so that it does not follow a mistake in the code.
 */
const MAY: Readonly<Record<ActionName, "everybody" | "everybody signed in" | "the operator" | readonly Role[]>> = {
  getSession: "everybody",
  signIn: "everybody",
  verifySecondFactor: "everybody",
  signOut: "everybody",
  describeLink: "everybody",
  signInByLink: "everybody",
  acceptInvitation: "everybody",
  resetPassword: "everybody",
  requestPasswordReset: "everybody",
  setUp: "everybody",
  updateProfile: "everybody signed in",
  changePassword: "everybody signed in",
  listSessions: "everybody signed in",
  endSession: "everybody signed in",
  endAllSessions: "everybody signed in",
  beginSecondFactor: "everybody signed in",
  confirmSecondFactor: "everybody signed in",
  renewRecoveryCodes: "everybody signed in",
  endSecondFactor: "everybody signed in",
  followRecords: ["owner", "compliance", "manager", "viewer"],
  listRecordHistory: ["owner", "compliance", "manager", "viewer"],
  getHome: ["owner", "compliance", "manager", "viewer"],
  getOrganization: ["owner", "compliance", "manager", "viewer"],
  leaveOrganization: ["owner", "compliance", "manager", "viewer"],
  renameOrganization: ["owner"],
  listMembers: ["owner", "compliance"],
  changeRole: ["owner"],
  removeMember: ["owner"],
  makeResetLink: ["owner"],
  invite: ["owner"],
  withdrawInvitation: ["owner"],
  listOrganizations: "the operator",
  createOrganization: "the operator",
  setTier: "the operator",
  makeResetLinkAsOperator: "the operator",
  listKeys: ["owner", "compliance"],
  createKey: ["owner", "compliance"],
  getKey: ["owner", "compliance"],
  getKeyUsage: ["owner", "compliance"],
  updateKey: ["owner", "compliance"],
  rotateKey: ["owner", "compliance"],
  revokeKey: ["owner", "compliance"],
  listRequests: ["owner", "compliance"],
  getRequest: ["owner", "compliance"],
  listAudit: ["owner", "compliance"],
  exportAudit: ["owner", "compliance"],
  listWebhooks: ["owner", "compliance"],
  createWebhook: ["owner", "compliance"],
  getWebhook: ["owner", "compliance"],
  updateWebhook: ["owner", "compliance"],
  testWebhook: ["owner", "compliance"],
  rotateWebhook: ["owner", "compliance"],
  disableWebhook: ["owner", "compliance"],
  enableWebhook: ["owner", "compliance"],
  deleteWebhook: ["owner", "compliance"],
  listDeliveries: ["owner", "compliance"],
  replayDelivery: ["owner", "compliance"],
  replayWebhook: ["owner", "compliance"],
  listCalendarLinks: ["owner", "compliance", "manager", "viewer"],
  createCalendarLink: ["owner", "compliance", "manager", "viewer"],
  takeBackCalendarLink: ["owner", "compliance", "manager", "viewer"],
  listMemberCalendarLinks: ["owner"],
  takeBackMemberCalendarLink: ["owner"],
  previewErasure: ["owner"],
  erasePerson: ["owner"],
  listPlayers: ["owner", "compliance", "manager", "viewer"],
  getPlayer: ["owner", "compliance", "manager", "viewer"],
  createPlayer: ["owner", "manager"],
  previewPlayerDeletion: ["owner", "manager"],
  deletePlayer: ["owner", "manager"],
  updatePlayer: ["owner", "manager"],
  listTeams: ["owner", "compliance", "manager", "viewer"],
  getTeam: ["owner", "compliance", "manager", "viewer"],
  createTeam: ["owner", "manager"],
  previewTeamDeletion: ["owner", "manager"],
  deleteTeam: ["owner", "manager"],
  updateTeam: ["owner", "manager"],
  listRoster: ["owner", "compliance", "manager", "viewer"],
  getAssignment: ["owner", "compliance", "manager", "viewer"],
  updateAssignment: ["owner", "manager"],
  listAssignments: ["owner", "compliance", "manager", "viewer"],
  movePlayer: ["owner", "manager"],
  undoMove: ["owner", "manager"],
  listSchedule: ["owner", "compliance", "manager", "viewer"],
  getEvent: ["owner", "compliance", "manager", "viewer"],
  createEvent: ["owner", "manager"],
  previewEventDeletion: ["owner", "manager"],
  deleteEvent: ["owner", "manager"],
  updateEvent: ["owner", "manager"],
  moveEvent: ["owner", "manager"],
  postponeEvent: ["owner", "manager"],
  cancelEvent: ["owner", "manager"],
  completeEvent: ["owner", "manager"],
  listProspects: ["owner", "compliance", "manager", "viewer"],
  getProspect: ["owner", "compliance", "manager", "viewer"],
  createProspect: ["owner", "manager"],
  previewProspectDeletion: ["owner", "manager"],
  deleteProspect: ["owner", "manager"],
  updateProspect: ["owner", "manager"],
  signProspect: ["owner", "manager"],
  listContracts: ["owner", "compliance", "manager", "viewer"],
  getContract: ["owner", "compliance", "manager", "viewer"],
  createContract: ["owner", "manager"],
  previewContractDeletion: ["owner", "manager"],
  deleteContract: ["owner", "manager"],
  updateContract: ["owner", "manager"],
  signContract: ["owner", "manager"],
  renewContract: ["owner", "manager"],
  terminateContract: ["owner", "manager"],
  previewImport: ["owner", "manager"],
  markImportFaults: ["owner", "manager"],
  applyImport: ["owner", "manager"],
  listExampleFiles: ["owner", "manager"],
  exportData: ["owner", "compliance", "manager", "viewer"],
};

type Place = "first" | "second" | "unknown" | "malformed";
const PLACES: readonly Place[] = ["first", "second", "unknown", "malformed"];

const ROLES_IN: Readonly<Record<"first" | "second", Readonly<Partial<Record<VisitorName, Role>>>>> = {
  first: { owner: "owner", compliance: "compliance", manager: "manager", viewer: "viewer", guest: "viewer" },
  second: { stranger: "owner", guest: "owner" },
};

type Verdict = "allowed" | "NOT_SIGNED_IN" | "FORBIDDEN" | "NOT_FOUND";

function expected(name: ActionName, who: VisitorName, place: Place): Verdict {
  const may = MAY[name];
  if (may === "everybody") return "allowed";
  if (who === "nobody" || who === "ended") return "NOT_SIGNED_IN";
  if (may === "everybody signed in") return "allowed";
  if (may === "the operator") return who === "operator" ? "allowed" : "FORBIDDEN";
  const role = place === "first" || place === "second" ? ROLES_IN[place][who] : undefined;
  if (role === undefined) return "NOT_FOUND";
  return may.includes(role) ? "allowed" : "FORBIDDEN";
}

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());

function orgIdAt(place: Place): string {
  return { first: world.first, second: world.second, unknown: makeId("org"), malformed: "org_'; --" }[place];
}

/**
 * Asks for exactly what would be done. Anyone who is allowed to would do it, so they ask with a parameter that no action knows: what they
 * sent is looked at last of all, and only for those who may.
 */
async function ask(name: ActionName, who: VisitorName, place: Place): Promise<ActionReply> {
  const input = sampleInputs(world, orgIdAt(place))[name];
  const isAllowed = expected(name, who, place) === "allowed";
  return world.visitors[who].try(name, isAllowed ? { ...input, query: { ...input.query, probe: "1" } } : input);
}

function verdictOf(reply: ActionReply): string {
  if (reply.code === "VALIDATION_ERROR" && fieldsOf(reply).includes("probe")) return "allowed";
  return reply.code ?? `done (${reply.status})`;
}

/** Each that the answer says something against. */
function fieldsOf({ body }: ActionReply): string[] {
  return (body.error?.details ?? []).map(({ field }: { field: string }) => field);
}

describe("what everybody may do", () => {
  it("is settled for every action", () => {
    expect(Object.keys(MAY).toSorted()).toEqual(ACTION_NAMES.toSorted());
  });

  it.each(ACTION_NAMES)("%s: as the roles say, in one's own organization and in others", async (name) => {
    const before = await readWorld(world);
    const mismatches: string[] = [];
    for (const who of VISITORS) {
      for (const place of isOfOrganization(name) ? PLACES : (["first"] as const)) {
        const got = verdictOf(await ask(name, who, place));
        const wanted = expected(name, who, place);
        if (got !== wanted) mismatches.push(`${who} at ${place}: ${got} instead of ${wanted}`);
      }
    }
    expect(mismatches).toEqual([]);
    expect(await readWorld(world)).toBe(before);
  });

  it("tells those who do not belong nothing of whether an organization exists", async () => {
    for (const name of ACTION_NAMES.filter(isOfOrganization)) {
      const answers = new Set<string>();
      for (const who of ["stranger", "operator"] as const) {
        for (const place of ["first", "unknown", "malformed"] as const) {
          const { status, body } = await ask(name, who, place);
          answers.add(JSON.stringify([status, body.error]));
        }
      }
      expect([...answers]).toHaveLength(1);
      expect([...answers][0]).toContain("[404,");
    }
  });

  it("names the roles that may, to members whose role does not", async () => {
    const { body } = await world.visitors.viewer.try("createKey", sampleInputs(world, world.first).createKey);
    expect(body.error).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining("owner or compliance") });
    const { body: other } = await world.visitors.compliance.try("invite", sampleInputs(world, world.first).invite);
    expect(other.error.message).toContain("takes owner.");
  });
});

describe("what a request says of itself", () => {
  const NAMES = ["orgId", "organizationId", "org", "userId", "user", "memberId", "isOperator", "sessionId", "owner"];

  it.each(ACTION_NAMES)("%s: names no other user and no other organization", async (name) => {
    const before = await readWorld(world);
    const who = MAY[name] === "the operator" ? world.visitors.operator : world.visitors.owner;
    const input = sampleInputs(world, world.first)[name];
    // Where a body has a role, it is that of the one whom the path or the email address names, or a player's.
    const fields = requireAction(name).body?.shape.role === undefined ? [...NAMES, "role"] : NAMES;
    const foreign = Object.fromEntries(
      fields.map((field) => [field, field.startsWith("user") ? world.userIds.stranger : world.second]),
    );
    const refused = (reply: ActionReply) => [
      reply.code,
      new Set(fieldsOf(reply).filter((field) => fields.includes(field))),
    ];
    const inQuery = await who.try(name, { ...input, query: foreign });
    expect(refused(inQuery)).toEqual(["VALIDATION_ERROR", new Set(fields)]);
    if (isWrite(name)) {
      const inBody = await who.try(name, { ...input, body: { ...(input.body as object | undefined), ...foreign } });
      expect(refused(inBody)).toEqual(["VALIDATION_ERROR", new Set(fields)]);
    }
    expect(await readWorld(world)).toBe(before);
  });

  it("answers a key of another organization, and a member of one, as it answers those that nobody has", async () => {
    const { owner } = world.visitors;
    for (const name of ACTION_NAMES.filter((one) => requireAction(one).path.includes("{keyId}"))) {
      const input = sampleInputs(world, world.first)[name];
      const foreign = await owner.try(name, { ...input, path: { orgId: world.first, keyId: world.keyIds.second } });
      const unknown = await owner.try(name, { ...input, path: { orgId: world.first, keyId: makeId("key") } });
      const malformed = await owner.try(name, { ...input, path: { orgId: world.first, keyId: "a\u0000b" } });
      expect([foreign.status, foreign.body.error]).toEqual([404, unknown.body.error]);
      expect(malformed.code).toBe("NOT_FOUND");
    }
    for (const name of ["changeRole", "removeMember", "makeResetLink"] as const) {
      const input = sampleInputs(world, world.first)[name];
      const { stranger } = world.userIds;
      const foreign = await owner.try(name, { ...input, path: { orgId: world.first, userId: stranger } });
      const unknown = await owner.try(name, { ...input, path: { orgId: world.first, userId: makeId("user") } });
      expect([foreign.status, foreign.body.error]).toEqual([404, unknown.body.error]);
    }
  });

  it("sets the tier by an id alone, never by a name", async () => {
    const reply = await world.visitors.operator.try("setTier", {
      path: { targetOrgId: "First" },
      body: { tier: "Free" },
    });
    expect(reply.code).toBe("NOT_FOUND");
  });
});

describe("what is not there", () => {
  it("is answered alike, no matter who asks", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/"],
      ["GET", "/nothing"],
      ["PUT", "/session"],
      ["OPTIONS", "/session"],
      ["POST", `/orgs/${world.first}/home`],
      ["GET", `/orgs/${world.first}/keys/`],
      ["GET", "/session/"],
      ["GET", "//session"],
      ["GET", "/Session"],
      ["GET", "/session;a=b"],
      ["GET", "/orgs/%zz/home"],
      ["GET", "/orgs//home"],
    ] as const) {
      for (const who of ["nobody", "owner"] as const) {
        const reply = await world.visitors[who].send(method, ACTIONS_PATH + path);
        expect([method, path, reply.status, reply.code]).toEqual([method, path, 404, "NOT_FOUND"]);
      }
    }
  });
});
