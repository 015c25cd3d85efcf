/**
 * All records of a kind, as they are now and as writes under way are going to make them.
 *
 *   const players = useRecords("player");
 *   players.all      undefined until the first are here; then more and more, until isComplete
 *   players.byId     for what others refer to
 *   players.failure  why there are none; retry() reads them again
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { useOrganization } from "../client/session.ts";
import { recordsQuery } from "./record-cache.ts";
import type { Kind, RecordTypes } from "./record-kinds.ts";
import { useCovered } from "./shown-layers.ts";

export interface Records<K extends Kind> {
  readonly all: readonly RecordTypes[K][] | undefined;
  readonly byId: ReadonlyMap<string, RecordTypes[K]>;
  readonly isComplete: boolean;
  readonly failure: RequestFailure | null;
  readonly retry: () => void;
}

const NONE = new Map<string, never>();

export function useRecords<K extends Kind>(kind: K, options: { readonly enabled?: boolean } = {}): Records<K> {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({ ...recordsQuery(client, orgId, kind), ...options });
  const byId = useCovered<RecordTypes[K]>(data?.byId);
  const isComplete = data?.isComplete ?? false;
  const failure = isComplete ? null : error;
  return useMemo(
    () => ({
      all: byId && listAll(byId),
      byId: byId ?? NONE,
      isComplete,
      failure,
      retry: () => void refetch(),
    }),
    [byId, isComplete, failure, refetch],
  );
}

const lists = new WeakMap<ReadonlyMap<string, unknown>, readonly unknown[]>();

/** The same array for all who ask. */
function listAll<T>(byId: ReadonlyMap<string, T>): readonly T[] {
  const known = lists.get(byId) as readonly T[] | undefined;
  const all = known ?? [...byId.values()];
  if (known === undefined) lists.set(byId, all);
  return all;
}
