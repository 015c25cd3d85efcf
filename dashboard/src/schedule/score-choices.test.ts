import { expect, test } from "vitest";
import { listScores, sayScore } from "./score-choices.ts";

test("offers every way in which a series can end, and no other", () => {
  expect(listScores(1).map(sayScore)).toEqual(["1–0", "0–1"]);
  expect(listScores(3).map(sayScore)).toEqual(["2–0", "2–1", "1–2", "0–2"]);
  expect(listScores(5).map(sayScore)).toEqual(["3–0", "3–1", "3–2", "2–3", "1–3", "0–3"]);
  expect(listScores(7)).toHaveLength(8);
  expect(listScores(9)).toEqual([]);
  expect(listScores(null)).toEqual([]);
});
