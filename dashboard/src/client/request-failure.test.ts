import { expect, test } from "vitest";
import { sayExactly } from "../ui/time-words.ts";
import { fieldErrorsOf, RequestFailure } from "./request-failure.ts";

test("says moments of a fault in the viewer's zone", () => {
  const message = "lies before the last move; use 2026-11-18T13:30:15.250Z or later";
  const failure = new RequestFailure("VALIDATION_ERROR", "", null, [{ field: "at", message }]);
  const local = sayExactly(Date.UTC(2026, 10, 18, 13, 30, 15));
  expect(fieldErrorsOf(failure)).toEqual({ at: `Lies before the last move; use ${local} or later.` });
});
