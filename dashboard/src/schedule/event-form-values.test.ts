import type { ScheduleEntry } from "@lineup/api/schedule";
import { expect, test } from "vitest";
import {
  eventValues,
  findEventFaults,
  nameEvent,
  newEventValues,
  toEventBody,
  toEventChange,
} from "./event-form-values.ts";

const EVENT = {
  id: "event_1",
  kind: "match",
  title: "Final",
  teamId: "team_1",
  game: "LoL",
  status: "scheduled",
  startsAt: 1000,
  endsAt: 2000,
  previousStartsAt: null,
  timezone: null,
  opponent: "Harbor Nine",
  competition: null,
  stage: "",
  bestOf: 3,
  location: null,
  streamUrl: null,
  result: null,
  externalIds: {},
  createdAt: 1,
  updatedAt: 7,
} satisfies ScheduleEntry;

test("writes only what was changed, and the version that was seen", () => {
  const values = eventValues(EVENT);
  expect(toEventChange(EVENT, values, "Northlight")).toBeUndefined();
  expect(toEventChange(EVENT, { ...values, opponent: " ", bestOf: 5 }, "Northlight")).toEqual({
    opponent: null,
    bestOf: 5,
    updatedAt: 7,
  });
});

test("names an entry after those who play where it has no title", () => {
  const values = { ...newEventValues(0, null, "Other"), opponent: "Harbor Nine " };
  expect(nameEvent(values, "Northlight")).toBe("Northlight – Harbor Nine");
  expect(nameEvent(values, undefined)).toBe("Harbor Nine");
  expect(nameEvent({ ...values, title: "Final" }, "Northlight")).toBe("Final");
  expect(toEventBody(values, "Northlight")).toMatchObject({
    title: "Northlight – Harbor Nine",
    stage: null,
    startsAt: 0,
  });
});

test("says what is missing or wrong before it is sent", () => {
  const values = newEventValues(1000, null, "Other");
  expect(Object.keys(findEventFaults(values))).toEqual(["title"]);
  expect(findEventFaults({ ...values, title: "Final" })).toEqual({});
  const wrong = { ...values, title: "Final", endsAt: 999, streamUrl: "twitch.tv/x" };
  expect(Object.keys(findEventFaults(wrong))).toEqual(["streamUrl", "endsAt"]);
  expect(Object.keys(findEventFaults({ ...values, title: "Final", startsAt: null }))).toEqual(["startsAt"]);
});
