/** Who is signed in, and where. A session that was ended, or whose user is gone, is refused at the very next request. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { isAPIError } from "better-auth/api";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import { headersOf } from "./auth.ts";
import { runAuthWork } from "./auth-work.ts";
import type { IdentityTools, OwnVisit } from "./identity-tools.ts";
import {
  claimUser,
  endSessions,
  forgetKnownDevices,
  forgetTrustedDevices,
  originOf,
  recordOfUser,
  requireCredential,
} from "./users.ts";
import { cookieName, findCookie, type SignedInUser, type Visit } from "./visit.ts";

/** With the cookies that keep the session fresh. */
export async function findSignedIn(tools: IdentityTools, visit: Visit) {
  if (findCookie(visit.cookie, cookieName("session_token", visit.isSecure)) === undefined) return undefined;
  const { api } = tools.authFor(visit);
  const headers = headersOf(visit);
  const found = await api.getSession({ headers, method: "GET" });
  if (found === null) return undefined;
  const { id, name, email, isOperator } = found.user;
  const user: SignedInUser = { id, name, email, isOperator: isOperator === true, sessionId: found.session.id };
  if (!("needsRefresh" in found) || found.needsRefresh !== true) return { user, cookies: [] };
  const prolonged = await runAuthWork(tools.store, { visit, origin: SERVER_ORIGIN }, () =>
    api.getSession({ headers, method: "POST", returnHeaders: true }),
  ).catch((error: unknown) => {
    // It was ended at this moment.
    if (isAPIError(error) && error.status === "UNAUTHORIZED") return { response: null };
    throw error;
  });
  return prolonged.response === null ? undefined : { user, cookies: prolonged.headers.getSetCookie() };
}

/** Returns the cookies that make the browser forget. */
export async function signOut(tools: IdentityTools, visit: Visit, user?: SignedInUser): Promise<readonly string[]> {
  const origin = user === undefined ? SERVER_ORIGIN : originOf(user, visit);
  return runAuthWork(tools.store, { visit, origin }, async (operator, recording) => {
    if (user !== undefined) {
      await recordOfUser(operator, recording, user, { at: visit.now, action: "user.signed-out" });
    }
    return forget(tools, visit);
  });
}

async function forget(tools: IdentityTools, visit: Visit): Promise<string[]> {
  const { headers } = await tools.authFor(visit).api.signOut({ headers: headersOf(visit), returnHeaders: true });
  return headers.getSetCookie();
}

export async function listSessions(
  { store }: IdentityTools,
  user: SignedInUser,
): Promise<ActionResult<"listSessions">["sessions"]> {
  const rows = await store.operator
    .selectFrom("sessions")
    .select(["id", "ip_address", "user_agent", "created_at", "updated_at", "expires_at"])
    .where("user_id", "=", user.id)
    .where("expires_at", ">", Date.now())
    .orderBy("updated_at", "desc")
    .limit(500)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    isThisOne: row.id === user.sessionId,
    address: row.ip_address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.updated_at,
    expiresAt: row.expires_at,
  }));
}

/** Returns the cookies that make the browser forget, where it was this session. */
export async function endSession({ tools, visit, user }: OwnVisit, sessionId: string): Promise<readonly string[]> {
  return runAuthWork(tools.store, { visit, origin: originOf(user, visit) }, async (operator, recording) => {
    const [ended] = await operator
      .deleteFrom("sessions")
      .where("id", "=", sessionId)
      .where("user_id", "=", user.id)
      .returning("id")
      .execute();
    if (ended === undefined) {
      throw new ActionError("NOT_FOUND", "That session is over already. Load the list again.");
    }
    const entry = { at: visit.now, action: "user.sessions-ended", note: "one session" };
    await recordOfUser(operator, recording, user, entry);
    return sessionId === user.sessionId ? forget(tools, visit) : [];
  });
}

/** Here too; and the second factor is asked for again everywhere. Devices are strangers again, but for this one. */
export async function endAllSessions({ tools, visit, user }: OwnVisit): Promise<readonly string[]> {
  return runAuthWork(tools.store, { visit, origin: originOf(user, visit) }, async (operator, recording) => {
    await claimUser(operator, user.id);
    const count = await endSessions(operator, user.id);
    await forgetTrustedDevices(operator, user.id);
    await forgetKnownDevices(operator, user.id, visit.now);
    const device = tools.devices.remember(visit, await requireCredential(operator, user.id));
    const note = `all sessions: ${count}`;
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.sessions-ended", note });
    return [...(await forget(tools, visit)), device];
  });
}
