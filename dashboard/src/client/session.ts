/** Who is signed in, where they belong, and what they may do there. Inside the shell somebody always is. */
import type { SessionView } from "@lineup/api/dashboard/account";
import { allows, type Capability } from "@lineup/api/dashboard/members";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { callAction } from "./call-action.ts";
import type { RequestFailure } from "./request-failure.ts";
import { noteServerTime } from "./server-clock.ts";
import { actionKey } from "./use-action.ts";

export type SignedInPerson = NonNullable<SessionView["user"]>;
export type Membership = SessionView["organizations"][number];

/** How long it may go unnoticed, from page to page, that a session was ended elsewhere. */
const FRESH_MS = 5_000;

export const sessionQuery = queryOptions<SessionView, RequestFailure>({
  queryKey: actionKey("getSession", {}),
  queryFn: async ({ signal }) => {
    const session = await callAction("getSession", {}, signal);
    noteServerTime(session.now);
    return session;
  },
  staleTime: FRESH_MS,
  gcTime: Number.POSITIVE_INFINITY,
});

/** Under it stands that a session ended elsewhere, until somebody signs in. */
export const SESSION_END = ["sessionEnd"] as const;

/** Undefined only before the first answer. */
export function useSession(): SessionView | undefined {
  return useQuery(sessionQuery).data;
}

export function usePerson(): SignedInPerson | null {
  return useSession()?.user ?? null;
}

/** The organization in the address, or undefined outside of one. */
export function useFoundOrganization(): Membership | undefined {
  const { orgId } = useParams({ strict: false });
  return useSession()?.organizations.find((organization) => organization.id === orgId);
}

/** For pages under /orgs/$orgId, which are shown to members alone. */
export function useOrganization(): Membership {
  const organization = useFoundOrganization();
  if (organization === undefined) throw new Error("This page stands outside of an organization.");
  return organization;
}

/** Whether the person may do this in the organization in the address. The server decides anew at every call. */
export function useAllows(capability: Capability): boolean {
  const organization = useFoundOrganization();
  return organization !== undefined && allows(organization.role, capability);
}
