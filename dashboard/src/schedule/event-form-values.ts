/** What the form of an entry holds, what of it is wrong, and what is written of it. */
import type { ActionBody } from "@lineup/api/dashboard/actions";
import type { ScheduleEntry } from "@lineup/api/schedule";
import { EVENT_FORM_TEXTS as TEXTS } from "../texts/schedule-texts.ts";

const TEXT_FIELDS = ["opponent", "competition", "stage", "location", "streamUrl"] as const;
const PLAIN_FIELDS = ["kind", "teamId", "game", "status", "startsAt", "endsAt", "timezone", "bestOf"] as const;

type TextField = (typeof TEXT_FIELDS)[number];
type Written = Pick<ScheduleEntry, "title" | TextField | (typeof PLAIN_FIELDS)[number]>;

export type EventFormValues = Omit<Written, TextField | "startsAt"> & { startsAt: number | null } & {
  [F in TextField]: string;
};

const HOUR_MS = 3_600_000;

export function newEventValues(startsAt: number, teamId: string | null, game: ScheduleEntry["game"]): EventFormValues {
  return {
    kind: "match",
    title: "",
    teamId,
    game,
    status: "scheduled",
    startsAt,
    endsAt: startsAt + 2 * HOUR_MS,
    timezone: null,
    bestOf: null,
    opponent: "",
    competition: "",
    stage: "",
    location: "",
    streamUrl: "",
  };
}

export function eventValues(event: ScheduleEntry): EventFormValues {
  const { opponent, competition, stage, location, streamUrl } = event;
  return {
    ...event,
    opponent: opponent ?? "",
    competition: competition ?? "",
    stage: stage ?? "",
    location: location ?? "",
    streamUrl: streamUrl ?? "",
  };
}

/** What the entry is called where nobody gave it a title: after those who play. */
export function nameEvent({ title, opponent }: EventFormValues, team: string | undefined): string {
  if (title.trim() !== "" || opponent.trim() === "") return title.trim();
  return team === undefined ? opponent.trim() : `${team} – ${opponent.trim()}`;
}

export function findTimeFaults({ startsAt, endsAt }: Pick<EventFormValues, "startsAt" | "endsAt">) {
  const isBackwards = startsAt !== null && endsAt !== null && endsAt < startsAt;
  return {
    ...(startsAt === null && { startsAt: TEXTS.startsMissing }),
    ...(isBackwards && { endsAt: TEXTS.endsBefore }),
  };
}

export function findEventFaults(values: EventFormValues): Record<string, string> {
  const { streamUrl } = values;
  return {
    ...(nameEvent(values, undefined) === "" && { title: TEXTS.titleMissing }),
    ...(streamUrl.trim() !== "" && !/^https?:\/\/\S+$/.test(streamUrl.trim()) && { streamUrl: TEXTS.streamWrong }),
    ...findTimeFaults(values),
  };
}

/** All of it; what was left empty is not said. */
export function toEventBody(values: EventFormValues, team: string | undefined): ActionBody<"createEvent"> {
  const { startsAt, kind, teamId, game, status, endsAt, timezone, bestOf } = values;
  const texts = Object.fromEntries(
    TEXT_FIELDS.map((field) => [field, values[field].trim() === "" ? null : values[field].trim()]),
  );
  const plain = { kind, teamId, game, status, endsAt, timezone, bestOf };
  return { ...plain, ...texts, title: nameEvent(values, team), startsAt: startsAt ?? 0 };
}

/** Only what was changed: what others change meanwhile of the rest stays. Undefined where nothing was. */
export function toEventChange(
  event: ScheduleEntry,
  values: EventFormValues,
  team: string | undefined,
): ActionBody<"updateEvent"> | undefined {
  const body = Object.entries(toEventBody(values, team)) as [keyof Written, never][];
  const changed = body.filter(([field, value]) => value !== event[field] && !(value === null && event[field] === ""));
  return changed.length === 0 ? undefined : { ...Object.fromEntries(changed), updatedAt: event.updatedAt };
}
