import { expect, test } from "vitest";
import { addFiles, guessTable, listSent, type SourceFile } from "./source-files.ts";

const file = (name: string, holds: SourceFile["holds"] = guessTable(name)): SourceFile => ({
  name,
  size: 1,
  base64: "",
  holds,
});
const namesOf = (files: readonly SourceFile[]) => files.map(({ name }) => name);

test.each([
  ["players.csv", "players"],
  ["Spring Players (2).csv", "players"],
  ["SCHEDULE-2026.CSV", "schedule"],
  ["players and teams.csv", undefined],
  ["Sheet1.csv", undefined],
  ["northwind.json", "all"],
])("%s holds %s, as far as its name says", (name, holds) => expect(guessTable(name)).toBe(holds));

test("a file replaces the one that holds the same, and files stand in the order in which they are read", () => {
  const first = addFiles([], [file("players.csv"), file("teams.csv"), file("Sheet1.csv")]);
  expect(namesOf(first)).toEqual(["Sheet1.csv", "teams.csv", "players.csv"]);
  expect(namesOf(addFiles(first, [file("players mended.csv")]))).toEqual([
    "Sheet1.csv",
    "teams.csv",
    "players mended.csv",
  ]);
  const json = addFiles(first, [file("all.json")]);
  expect(namesOf(json)).toEqual(["all.json"]);
  expect(namesOf(addFiles(json, [file("teams.csv")]))).toEqual(["teams.csv"]);
});

test("files are sent by the name of what they hold, and none before all say it", () => {
  expect(listSent([file("Spring players.csv"), file("Sheet1.csv")])).toBeUndefined();
  expect(listSent([file("Spring players.csv"), file("Sheet1.csv", "teams")])?.map(({ name }) => name)).toEqual([
    "players.csv",
    "teams.csv",
  ]);
});
