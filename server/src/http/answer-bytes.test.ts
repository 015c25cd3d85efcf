import { TIERS } from "@lineup/api/tiers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addressVerdict, keyVerdict } from "../limits/windows.ts";
import { type Answer, answerHeaders } from "./answer.ts";
import { headBytes, leaveRoom, TOGETHER_MAX_BYTES, wholeBytes } from "./answer-bytes.ts";
import { AnswerHeaders } from "./answer-headers.ts";

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
async function* nothing(): AsyncGenerator<Buffer> {}
const headers = fc
  .constantFrom<string[]>(
    [],
    ["ETag", 'W/"x"'],
    ["Vary", "Accept-Encoding", "ETag", 'W/"y"'],
    ["Link", "x".repeat(40_000)],
  )
  .map((list) => new AnswerHeaders(list));
const status = fc.constantFrom(200, 201, 304, 400, 401, 403, 404, 429, 500);
const head = fc.record({ status, code: fc.constant(undefined), headers, bodyBytes: fc.nat(TOGETHER_MAX_BYTES) });
const requestId = fc.constantFrom("req_1", "req_2");
const connection = fc.constantFrom("Connection: close\r\n", "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n");

function linesOf(answer: Answer, id: string, judged: Parameters<typeof answerHeaders>[2]): string[] {
  const listed = answerHeaders(answer, id, judged);
  return listed.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${listed[at + 1]}`] : []));
}

it("says as bytes what Node is given as a list, whatever was said before", () => {
  const second = fc.integer({ min: 0, max: 2 }).map((more) => NOW_MS + more * 1_000);
  fc.assert(
    fc.property(
      head,
      fc.boolean(),
      verdict,
      requestId,
      connection,
      second,
      (rest, isStream, judged, id, lines, now) => {
        const told: Answer = { ...rest, body: [], ...(isStream ? { stream: nothing() } : {}) };
        const [first, ...said] = headBytes(
          { answer: told, requestId: id, verdict: judged, connectionLines: lines },
          now,
        )
          .toString("latin1")
          .split("\r\n");
        expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${told.status} [A-Z][A-Za-z ]+$`));
        expect(said.slice(-2)).toEqual(["", ""]);
        const date = `Date: ${new Date(now).toUTCString()}`;
        const expected = [...linesOf(told, id, judged), date, ...lines.split("\r\n").slice(0, -1)];
        expect(said.slice(0, -2).toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: 1_000 },
  );
});

it("has the body behind the head, of whatever parts, as long as it says", () => {
  const beginning = fc.oneof(fc.uint8Array({ maxLength: 9_000 }), fc.string({ unit: "grapheme", maxLength: 300 }));
  const end = fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 300 }), { maxLength: 4 });
  const body = fc
    .tuple(fc.array(beginning, { maxLength: 2 }), end)
    .map(([some, texts]) => [...some.map((part) => Buffer.from(part as string)), ...texts]);
  fc.assert(
    fc.property(head, body, verdict, (rest, parts, judged) => {
      const expected = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
      const told: Answer = { ...rest, status: 200, body: parts, bodyBytes: expected.length };
      const whole = wholeBytes({ answer: told, requestId: "req_1", verdict: judged, connectionLines: "" }, NOW_MS);
      const end = whole.indexOf("\r\n\r\n") + 4;
      expect(whole.subarray(end).equals(expected)).toBe(true);
      expect(whole.toString("latin1", 0, end)).toContain(`\r\nContent-Length: ${expected.length}\r\n`);
    }),
  );
});

it("leaves alone what is still being sent", () => {
  const judged = addressVerdict(true, { count: 1, decisiveAgeMs: 0 }, NOW_MS);
  const answerOf = (body: string): Answer => ({
    status: 200,
    code: undefined,
    headers: new AnswerHeaders([]),
    body: [body],
    bodyBytes: body.length,
  });
  const ask = (body: string) =>
    wholeBytes({ answer: answerOf(body), requestId: `req_${body}`, verdict: judged, connectionLines: "" }, NOW_MS);
  const first = ask("first");
  const said = first.toString();
  leaveRoom();
  ask("other");
  expect(first.toString()).toBe(said);
  const third = ask("third");
  ask("fourth");
  expect(third.toString()).not.toContain("third");
});

it("has no headers that could end a line and begin another", () => {
  for (const text of ["a\r\nX-Evil: 1", "a\u010d\u010aX-Evil: 1", "é"]) {
    expect(() => new AnswerHeaders(["Link", text])).toThrow("printable ASCII");
  }
});
