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
        learnRole(client, error);
        // What was shown stays; that it could not be renewed is told once.
        if (query.state.data !== undefined) void tell(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _input, _result, mutation) => {
        if (endSession(client, error, onSignedOut)) return;
        learnRole(client, error);
        if (mutation.meta?.failure !== "shown") void tell(error);
      },
    }),
    defaultOptions: {
      queries: {
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

/** Refused what the role seemed to allow: somebody has changed it. With the role of today, the pages say what it opens. */
function learnRole(client: QueryClient, error: Error): void {
  if (error instanceof RequestFailure && error.code === "FORBIDDEN") {
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

async function tell(error: Error): Promise<void> {
  const { showFailure } = await import("./ui/toasts.ts");
  showFailure(error instanceof RequestFailure ? error : new RequestFailure("UNREACHABLE", error.message, null));
}
