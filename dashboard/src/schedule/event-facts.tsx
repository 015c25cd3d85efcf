/** All that is known of an entry. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Anchor, Text } from "@mantine/core";
import { nameTeam } from "../records/name-team.ts";
import { useRecords } from "../records/use-records.ts";
import { SCHEDULE_TEXTS, EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { type Fact, FactList } from "../ui/fact-list.tsx";
import { hasOtherTime, sayLength, sayWhen, sayZone, viewerZone } from "./event-times.ts";
import { sayScore } from "./score-choices.ts";

export function EventFacts({ event }: { readonly event: ScheduleEntry }) {
  const teams = useRecords("team").byId;
  const texts: [string, string | number | null][] = [
    [TEXTS.team, nameTeam(teams, event.teamId, SCHEDULE_TEXTS.noTeam)],
    [TEXTS.game, event.game],
    [TEXTS.opponent, event.opponent],
    [TEXTS.result, event.result && sayScore(event.result)],
    [TEXTS.competition, event.competition],
    [TEXTS.stage, event.stage],
    [TEXTS.bestOf, event.bestOf],
    [TEXTS.location, event.location],
  ];
  const facts = [
    ...listTimes(event),
    ...texts.filter(([, value]) => value !== null && value !== "").map(([name, value]) => ({ name, value })),
  ];
  return <FactList facts={event.streamUrl === null ? facts : [...facts, toStream(event.streamUrl)]} />;
}

function listTimes(event: ScheduleEntry): Fact[] {
  const { startsAt, endsAt, timezone, previousStartsAt } = event;
  const here = (
    <>
      {sayWhen(event)}
      <Text size="sm" c="dimmed">
        {sayZone(viewerZone(), startsAt)}
      </Text>
    </>
  );
  const isElsewhere = timezone !== null && hasOtherTime(event);
  return [
    { name: TEXTS.when, value: here },
    ...(isElsewhere ? [{ name: TEXTS.whenThere(sayZone(timezone, startsAt)), value: sayWhen(event, timezone) }] : []),
    { name: TEXTS.length, value: endsAt === null ? TEXTS.openEnd : sayLength(endsAt - startsAt) },
    ...(previousStartsAt === null
      ? []
      : [{ name: TEXTS.previously, value: sayWhen({ startsAt: previousStartsAt, endsAt: null }) }]),
  ];
}

function toStream(url: string): Fact {
  const value = (
    <Anchor inherit href={url} target="_blank" rel="noreferrer" style={{ overflowWrap: "anywhere" }}>
      {url}
    </Anchor>
  );
  return { name: TEXTS.stream, value };
}
