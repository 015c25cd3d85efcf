import { expect, test } from "vitest";
import { AnswerReader, type Expectation } from "./answer-reader.ts";

const BODY = '{"success":true,"data":[],"meta":{"count":0,"requestId":"req_1"}}';

const expected: Expectation = {
  status: 200,
  bodyLength: BODY.length,
  prefix: Buffer.from('{"success":true,"data":[]'),
  wholeOneIn: 1,
  tally: { answers: 0 },
  findFault: (body) => (body === BODY ? undefined : "another body"),
};

function answer(body = BODY, status = "200 OK", length = body.length): Buffer {
  return Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\nX-Other: 1\r\n\r\n${body}`);
}

function readAll(bytes: Buffer, step: number): boolean {
  const reader = new AnswerReader();
  reader.expect(expected);
  let isWhole = false;
  for (let at = 0; at < bytes.length; at += step) isWhole = reader.read(bytes.subarray(at, at + step));
  return isWhole;
}

test("an answer is read whole however its bytes arrive, with a length or in chunks", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const [first, second] = [BODY.slice(0, 20), BODY.slice(20)];
  const chunked = Buffer.from(`${head}14\r\n${first}\r\n${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`);
  for (const step of [1, 7, 1_000]) {
    expect(readAll(answer(), step)).toBe(true);
    expect(readAll(chunked, step)).toBe(true);
  }
});

test("another status, length, beginning or content is told", () => {
  expect(() => readAll(answer(BODY, "429 Too Many Requests"), 1_000)).toThrow("An answer was 429");
  expect(() => readAll(answer(`${BODY} `), 1_000)).toThrow(`with ${BODY.length + 1} bytes`);
  expect(() => readAll(answer(BODY.replace("true", "tru3")), 1_000)).toThrow("other bytes");
  expect(() => readAll(answer(BODY.replace("req_1", "req_2")), 1_000)).toThrow("another body");
});

test("on one connection answers may say their lengths elsewhere, in other words or not at all", () => {
  const reader = new AnswerReader();
  const read = (bytes: Buffer, length = BODY.length): boolean => {
    reader.expect({ ...expected, bodyLength: length, findFault: () => undefined });
    return reader.read(bytes);
  };
  expect(read(answer())).toBe(true);
  expect(read(answer())).toBe(true);
  const longer = `${BODY}${" ".repeat(40)}`;
  expect(read(answer(longer), longer.length)).toBe(true);
  expect(read(Buffer.from(`HTTP/1.1 200 OK\r\nA: b\r\ncontent-length:  ${BODY.length}\r\n\r\n${BODY}`))).toBe(true);
  const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  expect(read(Buffer.from(chunked))).toBe(true);
  expect(read(answer())).toBe(true);
  expect(() => read(answer(longer))).toThrow(`200 with ${longer.length} bytes`);
});

test("an answer of another length than the one before on its connection is told", () => {
  const reader = new AnswerReader();
  reader.expect(expected);
  expect(reader.read(answer())).toBe(true);
  reader.expect(expected);
  expect(() => reader.read(answer(BODY, "200 OK", BODY.length - 1))).toThrow(`${BODY.length - 1} bytes instead of`);
});

test("of each question one answer in so many is looked at whole, over all connections", () => {
  const looked: string[] = [];
  const question = (name: string, wholeOneIn: number): Expectation => ({
    ...expected,
    wholeOneIn,
    tally: { answers: 0 },
    findFault: () => void looked.push(name),
  });
  const often = question("often", 2);
  const rarely = question("rarely", 3);
  const readers = [new AnswerReader(), new AnswerReader()];
  for (let round = 0; round < 3; round++) {
    for (const reader of readers) {
      for (const one of [often, rarely]) {
        reader.expect(one);
        reader.read(answer());
      }
    }
  }
  expect(looked).toEqual(["often", "rarely", "often", "rarely", "often"]);
});

test("what nobody asked for is told", () => {
  const reader = new AnswerReader();
  expect(() => reader.read(answer())).toThrow("nobody asked for");
});
