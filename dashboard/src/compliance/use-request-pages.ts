/**
 * The pages of requests that are shown. The first is asked for anew every few seconds, until somebody goes on to older ones: then the
 * list stands still, or what is read would move away. A page may be empty and still lead on, because the server looks only so far in
 * one answer; then the next is asked for by itself, a few times, and after that only when somebody wants it.
 */
import type { RequestView } from "@lineup/api/dashboard/records";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { serverNow } from "../client/server-clock.ts";
import { useActionPages } from "../client/use-action.ts";
import { makeRequestsQuery, type RequestsSearch } from "./requests-search.ts";

const LIVE_MS = 4_000;
const LIMIT = "50";
/** So many empty pages in a row are passed over before somebody has to ask. */
const PASSED_OVER = 5;

export interface RequestPages {
  /** Undefined while the first page loads. */
  readonly requests: readonly RequestView[] | undefined;
  readonly failure: RequestFailure | null;
  readonly retentionDays: number | undefined;
  readonly searchedBackTo: number | undefined;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** Whether the last page that came was empty. */
  readonly isFruitless: boolean;
  /** Whether somebody has gone on to older ones. */
  readonly isDeep: boolean;
  readonly loadOlder: () => void;
  readonly backToNewest: () => void;
  readonly retry: () => void;
}

export function useRequestPages(orgId: string, search: RequestsSearch, isLive: boolean): RequestPages {
  const { open: _, ...filters } = search;
  const filterText = JSON.stringify(filters);
  const [deepFor, setDeepFor] = useState<string | null>(null);
  const isDeep = deepFor === filterText;
  // A span that moves begins when it was chosen: were it to move with every moment, every moment would ask anew.
  const query = useMemo(
    () => ({ ...makeRequestsQuery(JSON.parse(filterText) as RequestsSearch, serverNow()), limit: LIMIT }),
    [filterText],
  );
  const client = useQueryClient();
  const pages = useActionPages(
    "listRequests",
    { path: { orgId }, query },
    { refetchInterval: isLive && !isDeep ? LIVE_MS : false, staleTime: 0 },
  );
  const all = pages.data?.pages;
  const fruitless = countTrailingEmpty(all ?? []);
  const { fetchNextPage, hasNextPage, isFetching } = pages;
  const goesOn = hasNextPage && !isFetching && fruitless % PASSED_OVER !== 0;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  const last = all?.at(-1);
  return {
    requests: all?.flatMap((page) => page.requests),
    failure: all === undefined ? pages.error : null,
    retentionDays: last?.retentionDays,
    searchedBackTo: last?.searchedBackTo,
    hasOlder: hasNextPage,
    isLoadingOlder: pages.isFetchingNextPage || goesOn,
    isFruitless: fruitless > 0,
    isDeep,
    loadOlder: () => {
      setDeepFor(filterText);
      void fetchNextPage();
    },
    backToNewest: () => {
      setDeepFor(null);
      void client.resetQueries({ queryKey: ["listRequests", { path: { orgId }, query }, "pages"] });
    },
    retry: () => void pages.refetch(),
  };
}

function countTrailingEmpty(pages: readonly { readonly requests: readonly unknown[] }[]): number {
  const lastFull = pages.findLastIndex((page) => page.requests.length > 0);
  return pages.length - 1 - lastFull;
}
