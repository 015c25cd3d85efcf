import { afterAll, beforeAll, expect, test } from "vitest";
import { hasOtherTime, moveEnd, sayHours, sayLength, sayOffset, sayUnderWay, sayWhen, sayZone } from "./event-times.ts";

const HOUR_MS = 3_600_000;
const zoneBefore = process.env.TZ;

beforeAll(() => {
  process.env.TZ = "Europe/Berlin";
});

afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

const SUMMER = Date.UTC(2026, 6, 1, 16);
const WINTER = Date.UTC(2026, 0, 9, 17);

test("says which zone it is and how far from UTC, with summer time in summer alone", () => {
  expect(sayZone("Europe/Berlin", SUMMER)).toBe("Europe/Berlin (GMT+2)");
  expect(sayZone("Europe/Berlin", WINTER)).toBe("Europe/Berlin (GMT+1)");
  expect(sayZone("America/New_York", WINTER)).toBe("America/New York (GMT-5)");
  expect(sayOffset("Asia/Kolkata", WINTER)).toBe("GMT+5:30");
});

test("says when it is, in the viewer's zone and in another, where the day can be another too", () => {
  const event = { startsAt: WINTER, endsAt: WINTER + 3 * HOUR_MS };
  expect(sayWhen(event)).toBe("Fri, 9 Jan 2026, 18:00 to 21:00");
  expect(sayWhen(event, "Asia/Seoul")).toBe("Sat, 10 Jan 2026, 02:00 to 05:00");
  expect(sayWhen(event, "Europe/Moscow")).toBe("Fri, 9 Jan 2026, 20:00 to 23:00");
  expect(sayWhen({ ...event, endsAt: WINTER + 8 * HOUR_MS })).toBe("Fri, 9 Jan 2026, 18:00 to Sat, 10 Jan 2026, 02:00");
  expect(sayWhen({ ...event, endsAt: null })).toBe("Fri, 9 Jan 2026, 18:00");
  expect(sayHours(event)).toBe("18:00–21:00");
  expect(sayHours({ ...event, endsAt: null })).toBe("18:00");
  expect(sayUnderWay({ ...event, endsAt: WINTER + 8 * HOUR_MS })).toBe("until 10 Jan, 02:00");
  expect(sayUnderWay({ ...event, endsAt: null })).toBe("since 9 Jan, 18:00");
});

test("midnight is 00:00 and not 24:00", () => {
  expect(sayHours({ startsAt: Date.UTC(2026, 0, 9, 23), endsAt: null })).toBe("00:00");
});

test("another zone matters only where its clocks show another time then", () => {
  expect(hasOtherTime({ startsAt: WINTER, timezone: null })).toBe(false);
  expect(hasOtherTime({ startsAt: WINTER, timezone: "Europe/Paris" })).toBe(false);
  expect(hasOtherTime({ startsAt: WINTER, timezone: "Europe/London" })).toBe(true);
  // The one that has no summer time is an hour apart in summer alone.
  expect(hasOtherTime({ startsAt: WINTER, timezone: "Africa/Algiers" })).toBe(false);
  expect(hasOtherTime({ startsAt: SUMMER, timezone: "Africa/Algiers" })).toBe(true);
});

test("says lengths as time that passes: over the change of clocks too", () => {
  expect(sayLength(2.5 * HOUR_MS)).toBe("2 h 30 min");
  expect(sayLength(45 * 60_000)).toBe("45 min");
  expect(sayLength(0)).toBe("0 min");
  expect(sayLength(49 * HOUR_MS)).toBe("2 d 1 h");
  // From 22:00 on the day before to 06:00 on the 29th of March, when an hour is skipped.
  expect(sayLength(Date.UTC(2026, 2, 29, 4) - Date.UTC(2026, 2, 28, 21))).toBe("7 h");
});

test("an entry that is moved stays as long as it was, or as open", () => {
  const startsAt = Date.UTC(2026, 2, 28, 18);
  expect(moveEnd({ startsAt, endsAt: startsAt + 2 * HOUR_MS }, Date.UTC(2026, 2, 29, 17))).toBe(
    Date.UTC(2026, 2, 29, 19),
  );
  expect(moveEnd({ startsAt, endsAt: null }, Date.UTC(2026, 2, 29, 17))).toBeNull();
});
