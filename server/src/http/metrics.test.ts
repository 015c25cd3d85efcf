import { expect, test } from "vitest";
import { AnswerCache } from "./answer-cache.ts";
import { Metrics } from "./metrics.ts";

const ROUTE = "GET /players/{id}";

test("counts requests by route, status and code", async () => {
  const metrics = new Metrics(new AnswerCache());
  for (let count = 0; count < 3; count++)
    metrics.countRequest({ route: ROUTE, status: 200, code: undefined, durationMs: 1 });
  metrics.countRequest({ route: ROUTE, status: 404, code: "NOT_FOUND", durationMs: 1 });
  metrics.countRequest({ route: "unknown", status: 404, code: "NOT_FOUND", durationMs: 1 });
  // Asked twice, because asking must not count anything again.
  await metrics.text();
  const text = await metrics.text();
  expect(text).toContain(`lineup_requests_total{route="${ROUTE}",status="200",code=""} 3\n`);
  expect(text).toContain(`lineup_requests_total{route="${ROUTE}",status="404",code="NOT_FOUND"} 1\n`);
  expect(text).toContain('lineup_requests_total{route="unknown",status="404",code="NOT_FOUND"} 1\n');
});

test("sorts durations into buckets, each of which holds those before it", async () => {
  const metrics = new Metrics(new AnswerCache());
  for (const durationMs of [0.1, 0.5, 0.6, 7, 9_000])
    metrics.countRequest({ route: ROUTE, status: 200, code: undefined, durationMs });
  const text = await metrics.text();
  const bucket = (le: string) => `lineup_request_duration_seconds_bucket{le="${le}",route="${ROUTE}"}`;
  expect(text).toContain(
    `${bucket("0.0005")} 2\n${bucket("0.001")} 3\n${bucket("0.0025")} 3\n${bucket("0.005")} 3\n${bucket("0.01")} 4\n`,
  );
  expect(text).toContain(`${bucket("5")} 4\n${bucket("+Inf")} 5\n`);
  expect(text).toContain(`lineup_request_duration_seconds_sum{route="${ROUTE}"} 9.0082\n`);
  expect(text).toContain(`lineup_request_duration_seconds_count{route="${ROUTE}"} 5\n`);
});

test("is a text that Prometheus reads: comments and samples, every metric described once", async () => {
  const metrics = new Metrics(new AnswerCache());
  metrics.countRequest({ route: ROUTE, status: 200, code: undefined, durationMs: 1 });
  metrics.countMalformed();
  const lines = (await metrics.text()).split("\n");
  expect(lines.pop()).toBe("");
  const sample = /^[a-zA-Z_:][\w:]*(\{(\w+="[^"\\\n]*",?)*\})? (-?[\d.]+(e[+-]?\d+)?|Nan|NaN|[+-]Inf)$/;
  for (const line of lines) if (line !== "" && !/^# (HELP|TYPE) /.test(line)) expect(line).toMatch(sample);
  const described = lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ")[2]);
  expect(new Set(described).size).toBe(described.length);
  expect(described).toContain("lineup_request_duration_seconds");
});
