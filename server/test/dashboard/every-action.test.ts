import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { ActionName } from "@lineup/api/dashboard/actions";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offerSetUp } from "../../src/identity/first-owner.ts";
import { call, type TestServer } from "../test-server.ts";
import { answerWith, Receiver } from "../webhooks/receiver.ts";
import { startSendingServer } from "../webhooks/webhook-world.ts";
import { makeUser } from "./dashboard-world.ts";
import { keepEverything } from "./keeping-round.ts";
import { Staff } from "./staff.ts";
import { ACTION_NAMES, type ActionInput, Visitor } from "./visitor.ts";

const PASSWORD = "correct horse battery";
const OTHER_PASSWORD = "battery horse correct";

/** Every action that was done, by anybody. What came of each was held against its record by the visitor. */
const done = new Set<ActionName>();

class Doer extends Visitor {
  override async do<N extends ActionName>(name: N, input: ActionInput = {}) {
    const result = await super.do(name, input);
    done.add(name);
    return result;
  }
}

let server: TestServer;
let owner: Doer;
let orgId: string;

/** Takes every letter and keeps none. */
const post = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData: (stream, _session, taken) => void stream.resume().once("end", () => taken()),
});

beforeAll(async () => {
  post.listen(0, "127.0.0.1");
  await once(post.server, "listening");
  const { port } = post.server.address() as AddressInfo;
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: "lineup@example.com" };
  server = await startSendingServer({ config: { mail, publicUrl: "https://lineup.example.com" } });
  owner = new Doer(server);
});
afterAll(async () => {
  await server?.stop();
  await new Promise<void>((resolve) => post.close(() => resolve()));
});

const tokenOf = (link: string) => link.split("#")[1] ?? "";

/** What an app shows for this half minute (RFC 6238). */
function codeOf(secret: string): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac("sha1", key).update(counter).digest();
  return String((mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Somebody new, invited and let in. */
async function inviteAndAccept(email: string): Promise<Doer> {
  const { link } = await owner.do("invite", { path: { orgId }, body: { email, role: "viewer" } });
  const member = new Doer(server);
  const token = tokenOf(link);
  expect((await member.do("describeLink", { body: { token } })).email).toBe(email);
  await member.do("acceptInvitation", { body: { token, name: "Member", password: PASSWORD } });
  return member;
}

async function userIdOf(visitor: Visitor): Promise<string> {
  return (await visitor.do("getSession")).user?.id ?? "";
}

describe("every action, done over HTTP as its pages do it, answers what its record says", () => {
  it("getting in", async () => {
    expect((await owner.do("getSession")).needsSetup).toBe(true);
    const offered = await offerSetUp(server.store, server.dataDir);
    const made = await owner.do("setUp", {
      body: {
        token: offered?.token,
        name: "Ada",
        email: "ada@example.com",
        password: PASSWORD,
        organizationName: "Riverside",
      },
    });
    orgId = made.organizationId;
    expect((await owner.do("getSession")).organizations).toMatchObject([{ id: orgId, role: "owner" }]);
    await owner.do("signOut");
    expect((await owner.do("getSession")).user).toBeNull();
    await owner.do("signIn", { body: { email: "ada@example.com", password: PASSWORD } });
  });

  it("one's own account", async () => {
    await owner.do("updateProfile", { body: { name: "Ada L." } });
    await owner.do("changePassword", { body: { current: PASSWORD, password: OTHER_PASSWORD } });
    const elsewhere = new Doer(server);
    await elsewhere.do("signIn", { body: { email: "ada@example.com", password: OTHER_PASSWORD } });
    const { sessions } = await owner.do("listSessions");
    const other = sessions.find(({ isThisOne }) => !isThisOne);
    await owner.do("endSession", { path: { sessionId: other?.id ?? "" } });
    expect((await elsewhere.do("getSession")).user).toBeNull();
  });

  it("the second factor", async () => {
    const { secret } = await owner.do("beginSecondFactor", { body: { password: OTHER_PASSWORD } });
    await owner.do("confirmSecondFactor", { body: { code: codeOf(secret) } });
    const { recoveryCodes } = await owner.do("renewRecoveryCodes", { body: { password: OTHER_PASSWORD } });
    const elsewhere = new Doer(server);
    const begun = await elsewhere.do("signIn", { body: { email: "ada@example.com", password: OTHER_PASSWORD } });
    expect(begun.outcome).toBe("second-factor");
    expect((await elsewhere.do("getSession")).user).toBeNull();
    await elsewhere.do("verifySecondFactor", { body: { code: recoveryCodes[0], kind: "recovery" } });
    expect((await elsewhere.do("getSession")).user?.hasSecondFactor).toBe(true);
    await owner.do("endSecondFactor", { body: { password: OTHER_PASSWORD } });
  });

  it("the organization and its members", async () => {
    await owner.do("getHome", { path: { orgId } });
    await owner.do("getOrganization", { path: { orgId } });
    await owner.do("renameOrganization", { path: { orgId }, body: { name: "Riverside Gaming" } });
    const { id: linkId } = await owner.do("invite", {
      path: { orgId },
      body: { email: "no@example.com", role: "viewer" },
    });
    await owner.do("withdrawInvitation", { path: { orgId, linkId } });
    const member = await inviteAndAccept("grace@example.com");
    const userId = await userIdOf(member);
    await owner.do("changeRole", { path: { orgId, userId }, body: { role: "manager" } });
    const { members } = await owner.do("listMembers", { path: { orgId } });
    expect(members.map(({ name, role }) => `${name} ${role}`).toSorted()).toEqual(["Ada L. owner", "Member manager"]);
    const { link } = await owner.do("makeResetLink", { path: { orgId, userId } });
    await member.do("resetPassword", { body: { token: tokenOf(link), password: OTHER_PASSWORD } });
    expect((await member.do("getSession")).user).toBeNull();
    await member.do("signIn", { body: { email: "grace@example.com", password: OTHER_PASSWORD } });
    await member.do("leaveOrganization", { path: { orgId } });
    expect((await member.do("getSession")).organizations).toEqual([]);
    const other = await inviteAndAccept("joan@example.com");
    await owner.do("removeMember", { path: { orgId, userId: await userIdOf(other) } });
    expect((await other.try("getHome", { path: { orgId } })).code).toBe("NOT_FOUND");
    await new Doer(server).do("requestPasswordReset", { body: { email: "ada@example.com" } });
  });

  it("keys, requests and the audit log", async () => {
    const { id: keyId, key } = await owner.do("createKey", {
      path: { orgId },
      body: { name: "Sync", permissions: ["players:read"], expiresAt: null },
    });
    const reply = await call(server, "GET", "/players?limit=1", { key });
    const requestId = reply.headers.get("x-request-id") ?? "";
    const path = { orgId, keyId };
    await owner.do("listKeys", { path: { orgId } });
    await owner.do("getKey", { path });
    await owner.do("getKeyUsage", { path, query: { span: "7d" } });
    await owner.do("updateKey", { path, body: { name: "Synced" } });
    await owner.do("rotateKey", { path, body: { overlap: "7d" } });
    await owner.do("revokeKey", { path, body: { name: "Synced" } });
    await expect
      .poll(async () => (await owner.do("listRequests", { path: { orgId } })).requests.map(({ id }) => id))
      .toEqual([requestId]);
    expect(await owner.do("getRequest", { path: { orgId, requestId } })).toMatchObject({
      target: "/players?limit=1",
      route: "GET /players",
      keyName: "Synced",
      address: "127.0.0.1",
    });
    const { total } = await owner.do("listAudit", { path: { orgId } });
    const { csv, fileName } = await owner.do("exportAudit", { path: { orgId }, body: {} });
    expect(csv.split("\r\n").filter((line) => line !== "").length).toBeGreaterThan(total);
    expect(fileName).toMatch(/\.csv$/);
    expect(JSON.stringify([csv, await owner.do("listRequests", { path: { orgId } })])).not.toContain(key);
  });

  it("what staff keep", async () => {
    await keepEverything(new Staff({ server }, owner, orgId), Date.now());
  });

  it("import and export", async () => {
    const files = (await owner.do("listExampleFiles", { path: { orgId } })).files.map(({ name, text }) => ({
      name,
      base64: Buffer.from(text).toString("base64"),
    }));
    const { fingerprint, faultTotal } = await owner.do("previewImport", { path: { orgId }, body: { files } });
    expect(faultTotal).toBe(0);
    const { tables } = await owner.do("applyImport", { path: { orgId }, body: { files, fingerprint } });
    expect(tables.map(({ created }) => created)).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await owner.do("markImportFaults", { path: { orgId }, body: { files } })).files).toEqual([]);
    expect((await owner.do("exportData", { path: { orgId }, body: { format: "csv" } })).files).toHaveLength(6);
  });

  it("webhooks, as those who may manage keys keep them", async () => {
    const receiver = await Receiver.start();
    const since = Date.now() - 1_000;
    // Which its webhook is not told of, for it comes after; until all since then is sent again.
    await owner.do("createPlayer", { path: { orgId }, body: { ign: "Before", role: "Player" } });
    const { id, secret } = await owner.do("createWebhook", { path: { orgId }, body: { url: receiver.url } });
    const path = { orgId, webhookId: id };
    await expect.poll(async () => (await owner.do("getWebhook", { path })).state).toBe("active");
    expect(await owner.do("testWebhook", { path })).toMatchObject({ succeeded: true, attempt: { status: 200 } });
    await owner.do("updateWebhook", { path, body: { description: "Stats", types: ["player.created"] } });
    const rotated = await owner.do("rotateWebhook", { path });
    expect(rotated.secret).not.toBe(secret);
    const again = await owner.try("rotateWebhook", { path });
    expect(again).toMatchObject({ code: "CONFLICT" });
    expect(again.body.error.message).toContain(new Date(rotated.previousSecretUntil).toISOString());
    const { deliveries } = await owner.do("listDeliveries", { path, query: { state: "delivered", limit: "1" } });
    expect(deliveries).toMatchObject([{ type: "webhook.ping", sequence: null, nextAttemptAt: null }]);
    await owner.do("replayDelivery", { path: { ...path, deliveryId: deliveries[0]?.id ?? "" } });
    await expect.poll(() => receiver.types).toHaveLength(3);
    expect((await owner.do("replayWebhook", { path, body: { since } })).entries).toBeGreaterThan(0);
    await owner.do("disableWebhook", { path });
    expect(await owner.try("replayWebhook", { path, body: { since: Date.now() } })).toMatchObject({ code: "CONFLICT" });
    await owner.do("enableWebhook", { path });
    const refused = await owner.try("createWebhook", { path: { orgId }, body: { url: "https://10.0.0.1/" } });
    expect(refused.body.error.details).toEqual([{ field: "url", message: expect.stringContaining("public address") }]);
    expect(await owner.do("listWebhooks", { path: { orgId } })).toMatchObject({
      webhooks: [{ id, state: "rotating", createdBy: "Ada L.", description: "Stats" }],
      max: 20,
    });
    receiver.answering = answerWith(410);
    expect(await owner.do("testWebhook", { path })).toMatchObject({ succeeded: false, attempt: { status: 410 } });
    expect(await owner.do("getWebhook", { path })).toMatchObject({
      state: "disabled",
      disabledReason: "The endpoint answered 410 Gone.",
    });
    await owner.do("deleteWebhook", { path });
    expect(await owner.try("getWebhook", { path })).toMatchObject({ code: "NOT_FOUND" });
    const { entries } = await owner.do("listAudit", { path: { orgId }, query: { action: "webhook" } });
    expect(entries.map(({ action }) => action).toReversed()).toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.rotated",
      "webhook.replayed",
      "webhook.replayed",
      "webhook.disabled",
      "webhook.enabled",
      "webhook.disabled",
      "webhook.deleted",
    ]);
    expect(JSON.stringify(entries)).not.toContain(secret.slice("whsec_".length));
    await receiver.stop();
  });

  it("the operator's", async () => {
    const operator = new Doer(server);
    await operator.signInAs(await makeUser(server, "operator", true));
    await operator.do("createOrganization", {
      body: { name: "Second", tier: "Free", ownerEmail: "second@example.com" },
    });
    const { organizations } = await operator.do("listOrganizations");
    expect(organizations.map(({ name }) => name)).toEqual(["Riverside Gaming", "Second"]);
    await operator.do("setTier", { path: { targetOrgId: orgId }, body: { tier: "Pro" } });
    await operator.do("makeResetLinkAsOperator", { body: { email: "ada@example.com" } });
    await operator.do("endAllSessions");
    expect((await operator.do("getSession")).user).toBeNull();
  });

  it("gives links to calendars, and takes them back", async () => {
    const path = { orgId };
    const wanted = { name: "Mine", teamId: null, kinds: ["match"], contractEnds: true };
    const [one, other] = [
      await owner.do("createCalendarLink", { path, body: wanted }),
      await owner.do("createCalendarLink", { path, body: wanted }),
    ];
    expect(one.link).toMatch(/^https:\/\/lineup\.example\.com\/calendar\/[\w-]{43}\.ics$/);
    const { links } = await owner.do("listMemberCalendarLinks", { path });
    expect(links.map(({ id, memberName }) => [id, memberName])).toEqual([
      [other.id, "Ada L."],
      [one.id, "Ada L."],
    ]);
    await owner.do("takeBackCalendarLink", { path: { orgId, calendarId: one.id } });
    await owner.do("takeBackMemberCalendarLink", { path: { orgId, calendarId: other.id } });
    expect((await owner.do("listCalendarLinks", { path })).links).toEqual([]);
  });

  it("erases a person", async () => {
    const { id: recordId } = await owner.do("createProspect", { path: { orgId }, body: { ign: "Wren" } });
    const { people } = await owner.do("previewErasure", { path: { orgId, recordId } });
    expect(people).toEqual([{ kind: "prospect", id: recordId, name: "Wren" }]);
    expect((await owner.do("erasePerson", { path: { orgId, recordId } })).isSwept).toBe(true);
  });

  it("follows what others change", async () => {
    const { sequence: after } = await owner.do("followRecords", { path: { orgId } });
    const { id: recordId } = await owner.do("createProspect", { path: { orgId }, body: { ign: "Lark" } });
    const { records } = await owner.do("followRecords", { path: { orgId }, query: { after: String(after) } });
    expect(records.prospect.map(({ id }) => id)).toEqual([recordId]);
    const { entries } = await owner.do("listRecordHistory", { path: { orgId, recordId } });
    expect(entries.map(({ action }) => action)).toEqual(["prospect.created"]);
  });

  it("and none was left out", () => {
    expect([...done].toSorted()).toEqual(ACTION_NAMES.toSorted());
  });
});
