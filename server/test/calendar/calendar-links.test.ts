import { readdirSync } from "node:fs";
import { CALENDAR_LINKS_MAX } from "@lineup/api/dashboard/calendar-links";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteOrganization } from "../../src/access/organizations.ts";
import { deleteUser } from "../../src/identity/user-admin.ts";
import { findKeyTraces, findKeyTracesIn } from "../hostile/key-traces.ts";
import { openRaw } from "../hostile/raw-connection.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeKey, type TestServer } from "../test-server.ts";
import { ENGINE, readStored, runSql } from "../test-store.ts";
import {
  type Club,
  fetchCalendar,
  makeClub,
  makeMember,
  readEntries,
  requireEntries,
  startCalendarServer,
  WANTED,
} from "./subscriber.ts";

const clock = new ManualClock(Date.now());
let server: TestServer;
let club: Club;

beforeAll(async () => {
  server = await startCalendarServer({ clock });
  club = await makeClub(server);
  await club.createEvent({ title: "Boot camp", startsAt: clock.wallMs() + 3_600_000 });
});
afterAll(() => server?.stop());

function tokenOf(link: string): string {
  return /\/calendar\/([\w-]{43})\.ics$/.exec(link)?.[1] ?? "";
}

/** Of the connection, and of this one answer. */
const NOT_JUDGED = new Set(["date", "x-request-id", "connection", "keep-alive"]);

/** What is the same in every answer to the same. */
function judgedOf({ status, headers, text }: Awaited<ReturnType<typeof fetchCalendar>>) {
  const told = [...headers].filter(([name]) => !NOT_JUDGED.has(name));
  return { status, text, told };
}

describe("a calendar link", () => {
  it.skipIf(ENGINE === "postgres")(
    "is read where the store takes no writes, and the log says what could not be noted",
    async () => {
      const { link } = await club.make();
      const refusing = "BEFORE UPDATE ON calendar_links BEGIN SELECT RAISE(ABORT, 'no room'); END";
      await runSql(server.dataDir, `CREATE TRIGGER refuse_use ${refusing}`);
      try {
        expect((await fetchCalendar(server, link)).status).toBe(200);
      } finally {
        await runSql(server.dataDir, "DROP TRIGGER refuse_use");
      }
      expect(server.logged()).toContain("the use of a calendar link could not be noted");
    },
  );

  it("opens the calendar to a program that has neither a session nor a key", async () => {
    const { link } = await club.make();
    const { status, headers, text } = await fetchCalendar(server, link);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/calendar; charset=utf-8",
      "cache-control": "private, no-cache",
      "x-robots-tag": "noindex",
      "x-content-type-options": "nosniff",
    });
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    expect([...readEntries(text).values()].map(({ summary }) => summary)).toEqual(["Boot camp"]);
  });

  it("is answered with 304 while nothing has changed, and anew when something has", async () => {
    const { link } = await club.make();
    const first = await fetchCalendar(server, link);
    const etag = first.headers.get("etag") ?? "";
    const again = await fetchCalendar(server, link, { headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    const event = await club.createEvent({ title: "Later", startsAt: clock.wallMs() + 7_200_000 });
    const changed = await fetchCalendar(server, link, { headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
    expect(readEntries(changed.text).has(`${event.id}@lineup`)).toBe(true);
  });

  it("answers HEAD as GET, without the body", async () => {
    const { link } = await club.make();
    const [head, get] = [await fetchCalendar(server, link, { method: "HEAD" }), await fetchCalendar(server, link)];
    expect(head.text).toBe("");
    expect(judgedOf(head).told).toEqual(judgedOf(get).told);
    expect([head.status, Number(head.headers.get("content-length"))]).toEqual([200, Buffer.byteLength(get.text)]);
  });

  it("is answered with 404 once it was taken back, exactly as one that never was", async () => {
    const { id, link } = await club.make();
    await requireEntries(server, link);
    await club.owner.do("takeBackCalendarLink", { path: { orgId: club.orgId, calendarId: id } });
    const never = await fetchCalendar(server, `${server.origin}/calendar/${"A".repeat(43)}.ics`);
    const takenBack = await fetchCalendar(server, link);
    expect(takenBack.status).toBe(404);
    expect(judgedOf(takenBack)).toEqual(judgedOf(never));
    for (const odd of ["x.ics", `${tokenOf(link)}`, `${tokenOf(link)}.ICS`, `${tokenOf(link)}.ics.ics`, ".ics"]) {
      expect(judgedOf(await fetchCalendar(server, `${server.origin}/calendar/${odd}`))).toEqual(judgedOf(never));
    }
  });

  it("goes with the membership of whose it is: who leaves, is removed, or is deleted", async () => {
    const members = await Promise.all([1, 2, 3, 4].map(() => makeMember(server, club.orgId, "viewer")));
    const links: string[] = [];
    for (const { visitor } of members) {
      links.push((await visitor.do("createCalendarLink", { path: { orgId: club.orgId }, body: WANTED })).link);
    }
    const [leaver, removed, deleted] = members;
    await leaver?.visitor.do("leaveOrganization", { path: { orgId: club.orgId } });
    await club.owner.do("removeMember", { path: { orgId: club.orgId, userId: removed?.userId ?? "" } });
    const [row] = await runSql(server.dataDir, "SELECT email FROM users WHERE id = ?", deleted?.userId ?? "");
    const account = { email: String(row?.email), mayOrphan: false };
    await deleteUser(server.store, account, TEST_ORIGIN, clock.wallMs());
    const statuses: number[] = [];
    for (const link of links) statuses.push((await fetchCalendar(server, link)).status);
    expect(statuses).toEqual([404, 404, 404, 200]);
  });

  it("goes with its organization, and with its team", async () => {
    const other = await makeClub(server);
    const team = await other.owner.do("createTeam", { path: { orgId: other.orgId }, body: { name: "B", game: "LoL" } });
    const [ofAll, ofTeam] = [await other.make(), await other.make({ teamId: team.id })];
    await requireEntries(server, ofTeam.link);
    await other.owner.do("deleteTeam", {
      path: { orgId: other.orgId, recordId: team.id },
      body: { updatedAt: team.updatedAt },
    });
    expect((await fetchCalendar(server, ofTeam.link)).status).toBe(404);
    await requireEntries(server, ofAll.link);
    await deleteOrganization(server.store, other.orgId, TEST_ORIGIN);
    expect((await fetchCalendar(server, ofAll.link)).status).toBe(404);
  });

  it("shows nothing of another organization, and takes no team of one", async () => {
    const other = await makeClub(server);
    const team = await other.owner.do("createTeam", { path: { orgId: other.orgId }, body: { name: "B", game: "LoL" } });
    const theirs = await other.createEvent({ title: "Theirs", startsAt: clock.wallMs() + 1_000 });
    const input = { path: { orgId: club.orgId }, body: { ...WANTED, teamId: team.id } };
    const refused = await club.owner.try("createCalendarLink", input);
    expect([refused.code, refused.body.error.details]).toEqual([
      "VALIDATION_ERROR",
      [{ field: "teamId", message: "must be a team of this organization, or null for all" }],
    ]);
    const [ours, others] = [await club.make(), await other.make()];
    expect((await requireEntries(server, ours.link)).has(`${theirs.id}@lineup`)).toBe(false);
    expect([...(await requireEntries(server, others.link)).keys()]).toEqual([`${theirs.id}@lineup`]);
  });

  it("asks for kinds or contract ends", async () => {
    const tryWith = async (wanted: object) =>
      (await club.owner.try("createCalendarLink", { path: { orgId: club.orgId }, body: { ...WANTED, ...wanted } })).body
        .error?.details;
    expect(await tryWith({ kinds: [] })).toEqual([expect.objectContaining({ field: "kinds" })]);
    expect(await tryWith({ kinds: [], contractEnds: true })).toBeUndefined();
  });
});

describe("whose a link is", () => {
  it("a member sees and takes back their own alone; an owner those of all", async () => {
    const { orgId } = club;
    const { visitor: viewer } = await makeMember(server, orgId, "viewer");
    const made = await viewer.do("createCalendarLink", { path: { orgId }, body: { ...WANTED, name: "Theirs" } });
    const { links: own } = await viewer.do("listCalendarLinks", { path: { orgId } });
    expect(own.map(({ id }) => id)).toEqual([made.id]);
    const { links: all } = await club.owner.do("listMemberCalendarLinks", { path: { orgId } });
    expect(all[0]).toMatchObject({ id: made.id, name: "Theirs", memberName: "viewer", teamName: null });
    expect(all.length).toBeGreaterThan(1);

    const foreign = await club.owner.try("takeBackCalendarLink", { path: { orgId, calendarId: made.id } });
    const others = await viewer.try("takeBackCalendarLink", { path: { orgId, calendarId: all[1]?.id ?? "" } });
    expect([foreign.code, others.code]).toEqual(["NOT_FOUND", "NOT_FOUND"]);
    await requireEntries(server, made.link);
    await club.owner.do("takeBackMemberCalendarLink", { path: { orgId, calendarId: made.id } });
    expect((await fetchCalendar(server, made.link)).status).toBe(404);
  });

  it("making and taking back stand in the audit log, with no token", async () => {
    const { orgId } = club;
    const { id, link } = await club.make({ name: "Told", kinds: ["match"] });
    await club.owner.do("takeBackCalendarLink", { path: { orgId, calendarId: id } });
    const rows = await server.store
      .org(orgId)
      .selectFrom("audit")
      .select(["audit.action", "audit.target_kind", "audit.target_name", "audit.changes", "audit.actor_name"])
      .where("audit.target_id", "=", id)
      .orderBy("audit.seq")
      .execute();
    expect(rows).toMatchObject([
      { action: "calendar.created", target_kind: "calendar", target_name: "Told", actor_name: "owner" },
      { action: "calendar.taken-back", target_name: "Told" },
    ]);
    expect(JSON.parse(rows[0]?.changes ?? "")).toEqual({ kinds: [null, ["match"]], contractEnds: [null, false] });
    expect(JSON.stringify(rows)).not.toContain(tokenOf(link));
  });

  it("one of a team goes with it, which is said before and stands in the audit log", async () => {
    const { orgId, owner } = club;
    const team = await owner.do("createTeam", { path: { orgId }, body: { name: "A mistake", game: "LoL" } });
    const { id, link } = await club.make({ name: "Of the mistake", teamId: team.id });
    const path = { orgId, recordId: team.id };
    const { deletes, refusal } = await owner.do("previewTeamDeletion", { path });
    expect([deletes, refusal]).toEqual([[{ kind: "calendar", count: 1 }], null]);
    await owner.do("deleteTeam", { path, body: { updatedAt: team.updatedAt } });
    expect((await fetchCalendar(server, link)).status).toBe(404);
    const told = server.store.org(orgId).selectFrom("audit").select("audit.action").where("audit.target_id", "=", id);
    expect(await told.orderBy("audit.seq").execute()).toEqual([
      { action: "calendar.created" },
      { action: "calendar.taken-back" },
    ]);
  });

  it("a member has at most twenty", async () => {
    const other = await makeClub(server);
    const made: string[] = [];
    for (let count = 0; count < CALENDAR_LINKS_MAX; count++) made.push((await other.make()).id);
    const input = { path: { orgId: other.orgId }, body: WANTED };
    expect((await other.owner.try("createCalendarLink", input)).code).toBe("CONFLICT");
    const { visitor: another } = await makeMember(server, other.orgId, "viewer");
    await another.do("createCalendarLink", input);
    await other.owner.do("takeBackCalendarLink", { path: { orgId: other.orgId, calendarId: made[0] ?? "" } });
    await other.make();
  });

  it("its last use is known to the hour", async () => {
    const { orgId } = club;
    const { id, link } = await club.make();
    const lastUse = async () =>
      (await club.owner.do("listCalendarLinks", { path: { orgId } })).links.find((one) => one.id === id)?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await requireEntries(server, link);
    const first = clock.wallMs();
    clock.advance(3_599_000);
    await requireEntries(server, link);
    expect(await lastUse()).toBe(first);
    clock.advance(1_000);
    await requireEntries(server, link);
    expect(await lastUse()).toBe(first + 3_600_000);
  });
});

describe("guessing", () => {
  it("is slow: every request draws on its address's window, and past it even the right token gets 429", async () => {
    const { link } = await club.make();
    const from = (address: string) => fetchCalendar(server, link, { headers: { "x-forwarded-for": address } });
    for (let tries = 0; tries < 30; tries++) {
      await fetchCalendar(server, `${server.origin}/calendar/${"B".repeat(43)}.ics`, {
        headers: { "x-forwarded-for": "203.0.113.9" },
      });
      await from("203.0.113.9");
    }
    const refused = await from("203.0.113.9");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect((await from("203.0.113.10")).status).toBe(200);
    clock.advance(60_000);
    expect((await from("203.0.113.9")).status).toBe(200);
  });

  it("over plain HTTP from another machine the token is refused, right or wrong", async () => {
    const { link } = await club.make();
    const plain = { headers: { "x-forwarded-proto": "http" } };
    const right = await fetchCalendar(server, link, plain);
    const wrong = await fetchCalendar(server, `${server.origin}/calendar/${"C".repeat(43)}.ics`, plain);
    expect([right.status, right.text]).toEqual([403, expect.stringMatching(/^HTTPS is required/)]);
    expect(judgedOf(right)).toEqual(judgedOf(wrong));
  });
});

it("a token stands in no file, no log, no metric, and in no answer but the one that gave it", async () => {
  const { id, link } = await club.make();
  const { link: takenBack, id: takenId } = await club.make();
  await club.owner.do("takeBackCalendarLink", { path: { orgId: club.orgId, calendarId: takenId } });
  const tokens = [link, takenBack].map(tokenOf);
  const { key } = await makeKey(server, club.orgId);
  const answers: string[] = [];
  for (const token of tokens) {
    const path = `/calendar/${token}.ics`;
    for (const target of [
      path,
      `${path}?a=1`,
      `/calendar/${token}`,
      `/Calendar/${token}.ics`,
      `${path}/x`,
      `/calendar/%zz${token}`,
    ]) {
      answers.push(JSON.stringify(judgedOf(await fetchCalendar(server, server.origin + target))));
    }
    for (const method of ["POST", "DELETE", "OPTIONS"]) {
      answers.push((await fetchCalendar(server, link, { method })).text);
    }
    answers.push((await fetchCalendar(server, link, { headers: { "x-forwarded-proto": "http" } })).text);
    const withKey = { authorization: `Bearer ${key}`, "user-agent": `Program/1 (+${link})`, referer: link };
    answers.push((await fetchCalendar(server, `${server.baseUrl}${path}`, { headers: withKey })).text);
    for (const bytes of [
      `GET ${path} HTTP/1.1\r\n\r\n`,
      `GET ${path} HTTP/9.9\r\nHost: a\r\n\r\n`,
      `GET ${path}#x HTTP/1.1\r\nHost: a\r\n\r\n`,
      `FETCH ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      `${path}\r\n\r\n`,
    ]) {
      const connection = await openRaw(server.origin);
      connection.send(bytes);
      connection.socket.end();
      answers.push(await connection.readToEnd());
    }
  }
  expect(answers.filter((answer) => answer === "" || /^HTTP\/1\.1 5/.test(answer))).toEqual([]);
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  expect(metrics).toContain('route="GET /calendar/{token}.ics"');
  expect(server.logged()).toContain(id);
  expect(readdirSync(server.dataDir).length).toBeGreaterThan(0);
  expect(findKeyTraces(server.dataDir, server.logged(), tokens)).toEqual([]);
  expect(findKeyTracesIn("store", await readStored(server.dataDir), tokens)).toEqual([]);
  expect(findKeyTracesIn("metrics", metrics, tokens)).toEqual([]);
  const { requests } = await club.owner.do("listRequests", { path: { orgId: club.orgId } });
  expect(requests).toHaveLength(tokens.length);
  expect(findKeyTracesIn("request log", JSON.stringify(requests), tokens)).toEqual([]);
  for (const answer of answers) expect(findKeyTracesIn("answer", answer, tokens)).toEqual([]);
});
