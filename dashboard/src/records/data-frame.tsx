/** Around every page of records: follows what others change, and shows a conflict when a write meets one. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { useOrganization } from "../client/session.ts";
import { forgetConflicts, useConflict } from "./conflicts.ts";
import { followingQuery } from "./record-cache.ts";

const ConflictDialog = lazy(() =>
  import("./conflict-dialog.tsx").then((module) => ({ default: module.ConflictDialog })),
);

export function DataFrame() {
  const { id: orgId } = useOrganization();
  const conflict = useConflict();
  // One of another organization, or of pages that were left, is nobody's any more.
  useEffect(() => forgetConflicts, []);
  // Only the records that it patches are shown: that a second passed draws nothing.
  useQuery({ ...followingQuery(useQueryClient(), orgId), notifyOnChangeProps: [] });
  return (
    <>
      <Outlet />
      <Suspense>{conflict !== undefined && <ConflictDialog key={conflict.id} conflict={conflict} />}</Suspense>
    </>
  );
}
