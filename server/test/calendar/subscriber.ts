/** A calendar program: it has a link and nothing else, and reads what it gets with a parser of somebody else's. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import ICAL from "ical.js";
import { expect } from "vitest";
import { join as joinOrg, makeUser } from "../dashboard/dashboard-world.ts";
import { Visitor } from "../dashboard/visitor.ts";
import { makeOrg, startTestServer, type TestServer, type TestServerOptions } from "../test-server.ts";

/** As from behind a proxy, so that each program can come from an address of its own. */
export function startCalendarServer(options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer({ ...options, config: { trustedProxies: ["127.0.0.1"], ...options.config } });
}

export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

let programs = 0;

/** From an address that nobody has come from yet, unless told otherwise. */
export async function fetchCalendar(
  server: TestServer,
  link: string,
  { method = "GET", headers = {} }: { readonly method?: string; readonly headers?: Record<string, string> } = {},
): Promise<Fetched> {
  programs += 1;
  const address = `198.18.${(programs >> 8) & 255}.${programs & 255}`;
  const sent = { "x-forwarded-for": address, "x-forwarded-proto": "https", ...headers };
  const response = await fetch(server.origin + new URL(link).pathname, { method, headers: sent });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Every entry by its UID. */
export function readEntries(text: string): ReadonlyMap<string, ICAL.Event> {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const events = calendar.getAllSubcomponents("vevent").map((one) => new ICAL.Event(one));
  return new Map(events.map((event) => [event.uid, event]));
}

export const WANTED = {
  name: "My calendar",
  teamId: null,
  kinds: ["match", "scrim", "practice", "event"],
  contractEnds: false,
} as const;

export interface Club {
  readonly orgId: string;
  readonly owner: Visitor;
  /** What it was answered with when the owner did it. */
  make(wanted?: object): Promise<ActionResult<"createCalendarLink">>;
  createEvent(body: object): Promise<ActionResult<"createEvent">>;
  /** With what was last seen of the record. */
  change(
    name: "updateEvent" | "moveEvent" | "postponeEvent" | "cancelEvent" | "completeEvent",
    id: string,
    body?: object,
  ): Promise<void>;
}

export async function makeMember(
  server: TestServer,
  orgId: string,
  role: "owner" | "viewer" | "manager",
): Promise<{ readonly visitor: Visitor; readonly userId: string }> {
  const userId = await makeUser(server, role);
  await joinOrg(server, orgId, userId, role);
  return { visitor: await new Visitor(server).signInAs(userId), userId };
}

export async function makeClub(server: TestServer): Promise<Club> {
  const orgId = await makeOrg(server);
  const { visitor: owner } = await makeMember(server, orgId, "owner");
  return {
    orgId,
    owner,
    make: (wanted = {}) => owner.do("createCalendarLink", { path: { orgId }, body: { ...WANTED, ...wanted } }),
    createEvent: (body) => owner.do("createEvent", { path: { orgId }, body }),
    async change(name, id, body = {}) {
      const { updatedAt } = await owner.do("getEvent", { path: { orgId, recordId: id } });
      await owner.do(name, { path: { orgId, recordId: id }, body: { ...body, updatedAt } });
    },
  };
}

/** That the link opens a calendar; returns its entries. */
export async function requireEntries(server: TestServer, link: string): Promise<ReadonlyMap<string, ICAL.Event>> {
  const { status, text } = await fetchCalendar(server, link);
  expect(status).toBe(200);
  return readEntries(text);
}
