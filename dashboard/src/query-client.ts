/**
 * What holds for all readings and changes: a session that ended elsewhere leads to sign-in, failed changes are told, and what cannot
 * succeed by trying again is not tried again.
 */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { RequestFailure } from "./client/request-failure.ts";
import { sessionQuery } from "./client/session.ts";

const FRESH_MS = 15_000;
const TRIES = 2;

export function createQueryClient(onSignedOut: () => void): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (endSession(client, error, onSignedOut)) return;
        const isOver = learnMembership(client, error, query.queryKey[1]);
        // What was shown stays; that it could not be renewed is told once.
        if (query.state.data !== undefined) void tellUnless(isOver, error, "reading");
      },
      onSuccess: () => {
        if (!isToldUnreachable) return;
        isToldUnreachable = false;
        void import("./ui/toasts.ts").then(({ hideUnreachable }) => hideUnreachable());
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, input, _result, mutation) => {
        if (endSession(client, error, onSignedOut)) return;
        const isOver = learnMembership(client, error, input);
        if (mutation.meta?.failure !== "shown") void tellUnless(isOver, error, "action");
      },
    }),
    defaultOptions: {
      // Who is offline is told so, instead of waiting for what never begins.
      mutations: { networkMode: "always" },
      queries: {
        networkMode: "always",
        staleTime: FRESH_MS,
        retry: (count, error) => count < TRIES && error instanceof RequestFailure && isPassing(error),
      },
    },
  });
  return client;
}

function isPassing(failure: RequestFailure): boolean {
  return failure.code === "UNREACHABLE" || failure.code === "INTERNAL_ERROR";
}

function endSession(client: QueryClient, error: Error, onSignedOut: () => void): boolean {
  if (!(error instanceof RequestFailure) || error.code !== "NOT_SIGNED_IN") return false;
  client.setQueryData(sessionQuery.queryKey, (session) =>
    session === undefined ? session : { ...session, user: null, organizations: [] },
  );
  onSignedOut();
  return true;
}

/**
 * Refused what the role seemed to allow, or an organization that was there: somebody has changed the one or the other. With the session
 * of today the pages say what is open. Whether they say so by themselves, because the organization or the role is another, is answered.
 */
async function learnMembership(client: QueryClient, error: Error, input: unknown): Promise<boolean> {
  if (!(error instanceof RequestFailure) || !(error.code === "FORBIDDEN" || error.code === "NOT_FOUND")) return false;
  const orgId = findOrganizationId(input);
  if (orgId === undefined && error.code === "NOT_FOUND") return false;
  const before = findRole(client, orgId);
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  if (orgId === undefined) return false;
  const now = findRole(client, orgId);
  return now === undefined || now !== before;
}

function findRole(client: QueryClient, orgId: string | undefined): string | undefined {
  return client.getQueryData(sessionQuery.queryKey)?.organizations.find(({ id }) => id === orgId)?.role;
}

function findOrganizationId(input: unknown): string | undefined {
  const path = (input as { readonly path?: { readonly orgId?: unknown } } | undefined)?.path;
  return typeof path?.orgId === "string" ? path.orgId : undefined;
}

/** Whether a page has said that it could not be renewed, and no reading has succeeded since. */
let isToldUnreachable = false;

async function tellUnless(isSaidByThePage: Promise<boolean>, error: Error, of: "action" | "reading"): Promise<void> {
  if (await isSaidByThePage) return;
  const { showFailure } = await import("./ui/toasts.ts");
  const failure = error instanceof RequestFailure ? error : new RequestFailure("UNREACHABLE", error.message, null);
  if (of === "reading" && failure.code === "UNREACHABLE") isToldUnreachable = true;
  showFailure(failure, of);
}
