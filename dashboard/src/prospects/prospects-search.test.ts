import type { Prospect } from "@lineup/api/prospects";
import { expect, test } from "vitest";
import { daysInStage, filterProspects, groupByStage, listAssigned, readProspectsSearch } from "./prospects-search.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const DAY = 86_400_000;

function prospect(ign: string, fields: Partial<Prospect> = {}): Prospect {
  return {
    id: `prospect_${ign}`,
    ign,
    realName: "",
    game: "LoL",
    role: null,
    stage: "identified",
    stageChangedAt: NOW,
    priority: "medium",
    rating: null,
    currentTeam: null,
    nationality: null,
    region: null,
    source: null,
    assignedTo: null,
    notes: null,
    targetTeamId: null,
    playerId: null,
    contractEndDate: null,
    lastContactAt: null,
    tags: [],
    externalIds: {},
    createdAt: NOW,
    updatedAt: NOW,
    ...fields,
  };
}

const namesOf = (prospects: readonly Prospect[] | undefined) => prospects?.map(({ ign }) => ign);

test("drops from the address what makes no sense", () => {
  expect(readProspectsSearch({ game: "Chess", priority: "high", view: "list", q: " nyx " })).toEqual({
    priority: "high",
    q: "nyx",
  });
});

test("finds by every word, in names, teams and tags", () => {
  const all = [prospect("Nyx", { tags: ["aim"], currentTeam: "Harbor Nine" }), prospect("Vex", { tags: ["aim"] })];
  expect(namesOf(filterProspects(all, { q: "AIM harbor" }))).toEqual(["Nyx"]);
  expect(namesOf(filterProspects(all, {}))).toEqual(["Nyx", "Vex"]);
});

test("filters by game, priority and who looks after them, also by nobody", () => {
  const all = [
    prospect("A", { game: "CS2", priority: "high", assignedTo: "Mara" }),
    prospect("B", { assignedTo: "" }),
    prospect("C", { assignedTo: "Mara" }),
  ];
  expect(namesOf(filterProspects(all, { game: "CS2" }))).toEqual(["A"]);
  expect(namesOf(filterProspects(all, { priority: "high" }))).toEqual(["A"]);
  expect(namesOf(filterProspects(all, { assignee: "Mara" }))).toEqual(["A", "C"]);
  expect(namesOf(filterProspects(all, { assignee: "none" }))).toEqual(["B"]);
  expect(listAssigned(all)).toEqual(["Mara"]);
});

test("every stage has its column, the most wanted first", () => {
  const groups = groupByStage([
    prospect("late", { rating: 5 }),
    prospect("early", { rating: 5, stageChangedAt: NOW - DAY }),
    prospect("unrated"),
    prospect("high", { priority: "high", rating: 1 }),
    prospect("elsewhere", { stage: "trial" }),
  ]);
  expect([...groups.keys()]).toEqual(["identified", "contacted", "trial", "offered", "signed", "rejected"]);
  expect(namesOf(groups.get("identified"))).toEqual(["high", "early", "late", "unrated"]);
  expect(namesOf(groups.get("trial"))).toEqual(["elsewhere"]);
});

test("counts whole days in a stage, never fewer than none", () => {
  expect(daysInStage({ stageChangedAt: NOW - 3 * DAY + 1 }, NOW)).toBe(2);
  expect(daysInStage({ stageChangedAt: NOW + DAY }, NOW)).toBe(0);
});
