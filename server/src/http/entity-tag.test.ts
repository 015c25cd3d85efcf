import { expect, test } from "vitest";
import { makeRevisionTag, makeTag, matchesTag } from "./answer.ts";

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

test("a tag by revision differs with the organization, the target, the revision and the moment of the next change", () => {
  const [orgId, until] = ["org_a", Number.POSITIVE_INFINITY];
  const tag = makeRevisionTag(orgId, "/players", 3, until);
  expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
  expect(makeRevisionTag(orgId, "/players", 3, until)).toBe(tag);
  const others = [
    makeRevisionTag("org_b", "/players", 3, until),
    makeRevisionTag(orgId, "/players?sort=id", 3, until),
    makeRevisionTag(orgId, "/players", 4, until),
    makeRevisionTag(orgId, "/players", 3, 1_000),
  ];
  expect(new Set([tag, ...others]).size).toBe(5);
});
