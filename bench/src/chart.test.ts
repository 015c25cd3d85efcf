import { expect, test } from "vitest";
import { CASE_NAMES, CASES } from "./cases.ts";
import { renderChart } from "./chart.ts";
import { makeSampleReport } from "./sample-report.ts";

const chart = renderChart(makeSampleReport());

test("the chart names every case, and says in words what it shows", () => {
  const description = /<desc[^>]*>([^<]*)<\/desc>/.exec(chart)?.[1] ?? "";
  for (const name of CASE_NAMES) {
    expect(chart).toContain(`>${CASES[name].title}</text>`);
    expect(description).toContain(`${CASES[name].title}: `);
  }
  expect(description).toContain("one player: 0.82, 0.49 on PostgreSQL and Redis");
});

test("the chart says when and where its run was made", () => {
  expect(chart).toContain("2026-01-02, commit 0123456789, 3 rounds");
  expect(chart).toContain("Sample &lt;Processor&gt;, 2 cores");
});

test("the chart asks for nothing outside of itself", () => {
  expect(chart.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|url\(|@import|<image|<script/);
});

test("every bar stays within its track, however wide the rounds lie apart", () => {
  const bars = [...chart.matchAll(/<rect class="(?:embedded|together)" x="224" y="[\d.]+" width="([\d.]+)"/g)];
  expect(bars.length).toBeGreaterThan(CASE_NAMES.length);
  for (const [, width] of bars) expect(Number(width)).toBeLessThanOrEqual(416);
  for (const [, end] of chart.matchAll(/<line class="spread" x1="[\d.]+" x2="([\d.]+)"/g)) {
    expect(Number(end)).toBeLessThanOrEqual(640);
  }
});

test("a run of one case has a chart of one case", () => {
  const one = renderChart(makeSampleReport(["player"]));
  expect(one).toContain(">one player</text>");
  expect(one).not.toContain("Writes");
});
