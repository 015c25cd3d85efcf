/**
 * Actions as React hooks. What is read is kept under `[name, input]`; what is changed says by name which readings it makes stale.
 *
 *   const keys = useAction("listKeys", { path: { orgId } });
 *   const pages = useActionPages("listRequests", { path: { orgId }, query });
 *   const revoke = useActionMutation("revokeKey", { changes: ["listKeys", "getKey"], says: "Key revoked." });
 *   revoke.mutate({ path: { orgId, keyId }, body: { name } });
 *
 * A failed change is shown as a toast with its request id, unless `failure: "shown"`: then the page itself shows `revoke.error`.
 */
import type { ActionName, ActionNamed, ActionResult } from "@lineup/api/dashboard/actions";
import {
  type InfiniteData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { type ActionInput, callAction } from "./call-action.ts";
import type { RequestFailure } from "./request-failure.ts";

export type ReadName = { [N in ActionName]: ActionNamed<N>["method"] extends "GET" ? N : never }[ActionName];
export type PagedName = "listRequests" | "listAudit" | "listDeliveries" | "listRecordHistory";
type PageOf<N extends PagedName> = ActionResult<N> & { readonly nextCursor: string | null };

export function actionKey<N extends ReadName>(name: N, input: ActionInput<N>): readonly [N, ActionInput<N>] {
  return [name, input];
}

type ReadOptions<N extends ReadName, T> = Omit<
  UseQueryOptions<ActionResult<N>, RequestFailure, T>,
  "queryKey" | "queryFn"
>;

export function useAction<N extends ReadName, T = ActionResult<N>>(
  name: N,
  input: ActionInput<N>,
  options?: ReadOptions<N, T>,
): UseQueryResult<T, RequestFailure> {
  return useQuery<ActionResult<N>, RequestFailure, T>({
    ...options,
    queryKey: actionKey(name, input),
    queryFn: ({ signal }) => callAction(name, input, signal),
  });
}

/** A list that goes on page by page: `data.pages`, `fetchNextPage`, `hasNextPage`. */
export function useActionPages<N extends PagedName>(
  name: N,
  input: ActionInput<N>,
  options?: { readonly enabled?: boolean; readonly refetchInterval?: number | false; readonly staleTime?: number },
) {
  return useInfiniteQuery<PageOf<N>, RequestFailure, InfiniteData<PageOf<N>>, readonly unknown[], string | undefined>({
    ...options,
    queryKey: [name, input, "pages"],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) => {
      const asked = input as { readonly query?: object };
      const page = { ...input, query: { ...asked.query, cursor: pageParam } } as ActionInput<N>;
      return callAction(name, page, signal) as Promise<PageOf<N>>;
    },
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
}

export interface ChangeOptions<N extends ActionName> {
  /** What was read by these is read again. */
  readonly changes?: readonly ReadName[];
  /** Said in a toast when it is done. */
  readonly says?: string | ((result: ActionResult<N>) => string);
  /** Where a failure is told: in a toast, or by the page. */
  readonly failure?: "toast" | "shown";
  readonly onDone?: (result: ActionResult<N>, input: ActionInput<N>) => void | Promise<void>;
}

export function useActionMutation<N extends ActionName>(
  name: N,
  options: ChangeOptions<N> = {},
): UseMutationResult<ActionResult<N>, RequestFailure, ActionInput<N>> {
  const queryClient = useQueryClient();
  return useMutation<ActionResult<N>, RequestFailure, ActionInput<N>>({
    mutationFn: (input) => callAction(name, input),
    meta: { failure: options.failure ?? "toast" },
    onSuccess: async (result, input) => {
      await refreshActions(queryClient, options.changes ?? []);
      if (options.says !== undefined) {
        const { showDone } = await import("../ui/toasts.ts");
        showDone(typeof options.says === "string" ? options.says : options.says(result));
      }
      await options.onDone?.(result, input);
    },
  });
}

export async function refreshActions(queryClient: QueryClient, names: readonly ReadName[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}
