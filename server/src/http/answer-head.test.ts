import { TIERS } from "@lineup/api/tiers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addressVerdict, keyVerdict } from "../limits/windows.ts";
import { type Answer, answerHeaders } from "./answer.ts";
import { headText } from "./answer-head.ts";
import { AnswerHeaders } from "./answer-headers.ts";

const NOW_MS = Date.UTC(2026, 10, 15, 12, 0, 1, 500);
const reading = fc.record({ count: fc.nat(2_000), decisiveAgeMs: fc.nat(59_999) });
const verdict = fc.oneof(
  fc
    .tuple(fc.boolean(), fc.constantFrom(...Object.values(TIERS)), reading, reading)
    .map(([admitted, limits, minute, day]) => keyVerdict(admitted, limits, minute, day, NOW_MS)),
  fc.tuple(fc.boolean(), reading).map(([admitted, one]) => addressVerdict(admitted, one, NOW_MS)),
);
async function* nothing(): AsyncGenerator<Buffer> {}
const answer = fc.record({
  status: fc.constantFrom(200, 201, 304, 400, 401, 403, 404, 429, 500),
  code: fc.constant(undefined),
  headers: fc
    .constantFrom<string[]>([], ["ETag", 'W/"x"'], ["Vary", "Accept-Encoding", "ETag", 'W/"y"'])
    .map((list) => new AnswerHeaders(list)),
  bodyBytes: fc.nat(),
  stream: fc.constantFrom(undefined, nothing()),
});

it("says as text what Node is given as a list", () => {
  fc.assert(
    fc.property(answer, verdict, ({ stream, ...rest }, judged) => {
      const told = { ...rest, body: [], ...(stream === undefined ? {} : { stream }) } as Answer;
      const listed = answerHeaders(told, "req_1", judged);
      const lines = listed.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${listed[at + 1]}`] : []));
      const [first, ...said] = headText(told, "req_1", judged, "Connection: close\r\n", NOW_MS).split("\r\n");
      expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${told.status} [A-Z][A-Za-z ]+$`));
      expect(said).toEqual([...lines, "Date: Sun, 15 Nov 2026 12:00:01 GMT", "Connection: close", "", ""]);
    }),
  );
});
