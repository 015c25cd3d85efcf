import { TIERS } from "@lineup/api/tiers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addressVerdict, keyVerdict } from "../../limits/windows.ts";
import { type Answer, AnswerHeaders, answerHeaders } from "../answer.ts";
import { headText } from "./answer-head.ts";

const NOW_MS = Date.UTC(2026, 10, 15, 12, 0, 1, 500);
/** Past the moment at which seconds no longer fit into 31 bits, too. */
const moment = fc.constantFrom(NOW_MS, Date.UTC(2038, 0, 19, 3, 14, 7), Date.UTC(2100, 1, 28));
const reading = fc.record({ count: fc.nat(2_000), decisiveAgeMs: fc.nat(59_999) });
const verdict = fc.oneof(
  fc
    .tuple(fc.boolean(), fc.constantFrom(...Object.values(TIERS)), reading, reading, moment)
    .map(([admitted, limits, minute, day, now]) => keyVerdict(admitted, limits, minute, day, now)),
  fc.tuple(fc.boolean(), reading, moment).map(([admitted, one, now]) => addressVerdict(admitted, one, now)),
);
const headers = fc
  .constantFrom<string[]>(
    [],
    ["ETag", 'W/"x"'],
    ["Vary", "Accept-Encoding", "ETag", 'W/"y"'],
    ["Link", "x".repeat(40_000)],
  )
  .map((list) => new AnswerHeaders(list));
const status = fc.constantFrom(200, 201, 304, 400, 401, 403, 404, 429, 500);
const head = fc.record({
  status,
  code: fc.constant(undefined),
  headers,
  bodyBytes: fc.option(fc.nat(30_000), { nil: undefined }),
});
const requestId = fc.constantFrom("req_1", "req_2");
const connection = fc.constantFrom("Connection: close\r\n", "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n");

function linesOf(answer: Answer, id: string, judged: Parameters<typeof answerHeaders>[2]): string[] {
  const listed = answerHeaders(answer, id, judged);
  return listed.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${listed[at + 1]}`] : []));
}

it("says as text what Node is given as a list, whatever was said before", () => {
  const second = fc.integer({ min: 0, max: 2 }).map((more) => NOW_MS + more * 1_000);
  fc.assert(
    fc.property(head, verdict, requestId, connection, second, (rest, judged, id, lines, now) => {
      const answer: Answer = { ...rest, body: "" };
      const text = headText({ answer, requestId: id, verdict: judged, connectionLines: lines }, now);
      const [first, ...said] = text.split("\r\n");
      expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${answer.status} [A-Z][A-Za-z ]+$`));
      expect(said.slice(-2)).toEqual(["", ""]);
      const date = `Date: ${new Date(now).toUTCString()}`;
      const expected = [...linesOf(answer, id, judged), date, ...lines.split("\r\n").slice(0, -1)];
      // Node says by itself that it sends in chunks.
      if (answer.bodyBytes === undefined && answer.status !== 304) expected.push("Transfer-Encoding: chunked");
      expect(said.slice(0, -2).toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 1_000 },
  );
});

it("has no headers that could end a line and begin another", () => {
  for (const text of ["a\r\nX-Evil: 1", "a\u010d\u010aX-Evil: 1", "é"]) {
    expect(() => new AnswerHeaders(["Link", text])).toThrow("printable ASCII");
  }
});
