/** The schedule as time goes by: what the bare call promises, and what lifts its conditions. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { HOUR_MS, SEED_NOW } from "./seed-records.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const titles = (items: LooseItem[]) => items.map(({ title }) => title);

describe("the bare schedule", () => {
  it("shows live and postponed entries and scheduled ones that are not over, soonest first", async () => {
    expect(titles(await stage.list("/schedule"))).toEqual(["Put off", "Live", "Long session", "Running late", "Final"]);
  });

  it("takes an entry without an end to last six hours, to the millisecond", async () => {
    const over = SEED_NOW + HOUR_MS;
    stage.clock.advance(over - 1 - stage.clock.wallMs());
    expect(titles(await stage.list("/schedule"))).toContain("Running late");
    stage.clock.advance(1);
    expect(titles(await stage.list("/schedule"))).toEqual(["Put off", "Live", "Final"]);
  });

  it("is narrowed, not lifted, by every other parameter", async () => {
    const { LoL } = stage.seed.teams;
    expect(titles(await stage.list(`/schedule?teamId=${LoL.id}`))).toEqual(["Final"]);
    expect(titles(await stage.list("/schedule?kind=match"))).toEqual(["Live", "Final"]);
    expect(titles(await stage.list("/schedule?game=LoL,CS2"))).toEqual(["Final"]);
    expect(titles(await stage.list("/schedule?updatedSince=0&sort=-startsAt"))).toEqual(["Final", "Live", "Put off"]);
    expect(titles(await stage.list("/schedule?limit=500&sort=title"))).toEqual(["Final", "Live", "Put off"]);
    expect(titles(await stage.list("/schedule?externalId=board:seed-e1"))).toEqual(["Final"]);
  });
});

describe("from, to and status", () => {
  const at = (hours: number) => SEED_NOW + hours * HOUR_MS;

  it("each lift both conditions", async () => {
    const all = await stage.list("/schedule?from=0");
    expect(all).toHaveLength(stage.seed.entries.length);
    expect(await stage.list(`/schedule?to=${at(1_000)}`)).toEqual(all);
    expect(await stage.list("/schedule?status=scheduled,live,completed,postponed,cancelled")).toEqual(all);
    expect(titles(await stage.list("/schedule?status=completed"))).toEqual(["Won"]);
    expect(titles(await stage.list("/schedule?status=scheduled"))).toContain("Long over");
  });

  it("compare the start, both ends included", async () => {
    const all = await stage.list("/schedule?from=0");
    for (const start of new Set(all.map(({ startsAt }) => startsAt as number))) {
      for (const moment of [start - 1, start, start + 1]) {
        expect(await stage.list(`/schedule?from=${moment}`)).toEqual(all.filter((item) => item.startsAt >= moment));
        expect(await stage.list(`/schedule?to=${moment}`)).toEqual(all.filter((item) => item.startsAt <= moment));
      }
      expect(await stage.list(`/schedule?from=${start}&to=${start}`)).toEqual(
        all.filter((item) => item.startsAt === start),
      );
    }
    expect(await stage.list(`/schedule?from=${at(10)}&to=${at(-10)}`)).toEqual([]);
  });

  it("go with each other and with filters", async () => {
    const items = await stage.list(`/schedule?from=${at(-100)}&to=${at(0)}&status=completed,live&kind=match`);
    expect(titles(items)).toEqual(["Won", "Live"]);
    expect(items[0].result).toEqual({ own: 2, opponent: 1 });
  });
});
