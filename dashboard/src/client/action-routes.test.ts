import { ACTIONS } from "@lineup/api/dashboard/actions";
import { expect, test } from "vitest";
import { ACTION_ROUTES } from "./action-routes.ts";

test("knows every action by the method and path of its record, and no other", () => {
  const recorded = ACTIONS.map(({ name, method, path }) => [name, `${method} ${path}`]);
  expect(ACTION_ROUTES).toEqual(Object.fromEntries(recorded));
});
