import { expect, test } from "vitest";
import { makeTag, matchesTag, promiseTag, tellTag } from "./entity-tag.ts";

const TAG = makeTag("[]", undefined);
const STRONG = TAG.slice("W/".length);

test.each([TAG, STRONG, ` ${TAG} `, "*", " * ", `"other", ${TAG}`, `W/"a,b",${STRONG},"c"`, `"",${TAG}`])(
  "a client that sends %s has it",
  (sent) => {
    expect(matchesTag(sent, TAG)).toBe(true);
  },
);

test.each([
  undefined,
  "",
  '""',
  '"*"',
  '"a,*,b"',
  '"x", *',
  "*, *",
  STRONG.slice(1, -1),
  STRONG.slice(0, -1),
  `"a${STRONG.slice(1)}`,
  makeTag("[]", null),
  makeTag("[1]", undefined),
  `"a, ${STRONG.slice(1, -1)}, b"`,
])("a client that sends %s has not", (sent) => {
  expect(matchesTag(sent, TAG)).toBe(false);
});

test("a tag that was told before the content was known stands for it from then on", () => {
  const early = promiseTag();
  expect(matchesTag(early, TAG)).toBe(false);
  tellTag(early, TAG);
  for (const sent of [early, early.slice("W/".length), `"other", ${early}`]) expect(matchesTag(sent, TAG)).toBe(true);
  expect(matchesTag(early, makeTag("[1]", undefined))).toBe(false);
});
