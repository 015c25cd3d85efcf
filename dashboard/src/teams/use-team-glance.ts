/** What a team's card shows beside the team: its line-up and what it does next. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import { useEffect, useMemo, useRef } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useRecords } from "../records/use-records.ts";
import { cardOfEntry, makeColumns, type TeamColumn } from "../roster/line-up.ts";

/** Who is in each of the teams; the same object while nobody in it changes. */
export function useTeamColumns(teams: readonly Team[]): (team: Team) => TeamColumn {
  const { all } = useRecords("assignment");
  const before = useRef<readonly TeamColumn[]>([]);
  const columns = useMemo(() => makeColumns(teams, (all ?? []).map(cardOfEntry), before.current), [teams, all]);
  useEffect(() => {
    before.current = columns;
  }, [columns]);
  return useMemo(() => {
    const ofTeam = new Map(columns.map((column) => [column.team.id, column]));
    return (team) => ofTeam.get(team.id) ?? { team, cards: [] };
  }, [columns]);
}

export function useNextEvents(): (teamId: string) => ScheduleEntry | undefined {
  const { all } = useRecords("event");
  return useMemo(() => {
    const next = findNextEvents(all ?? [], serverNow());
    return (teamId) => next.get(teamId);
  }, [all]);
}

/** By team, the soonest that is still to come, or goes on just now. */
export function findNextEvents(events: readonly ScheduleEntry[], now: number): Map<string, ScheduleEntry> {
  const next = new Map<string, ScheduleEntry>();
  for (const event of events) {
    const { teamId, status, startsAt } = event;
    const isAhead = status === "live" || (status === "scheduled" && startsAt >= now);
    if (teamId === null || !isAhead) continue;
    const known = next.get(teamId);
    if (known === undefined || startsAt < known.startsAt) next.set(teamId, event);
  }
  return next;
}
