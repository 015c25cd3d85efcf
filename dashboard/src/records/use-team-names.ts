import { useCallback } from "react";
import { useRecords } from "./use-records.ts";

/** What a team is called, by its id; undefined for what is no team that there is. */
export function useTeamNames(): (id: string) => string | undefined {
  const { byId } = useRecords("team");
  return useCallback((id: string) => byId.get(id)?.name, [byId]);
}
