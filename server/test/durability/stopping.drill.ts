import { expect, it } from "vitest";
import { drillCount } from "../drill-count.ts";
import { runStops } from "./stop-under-load.ts";

const STOPS = drillCount("stopping", 2, 30);

it("answers what was sent before SIGTERM, writes included, over connections that clients keep", async () => {
  expect(await runStops(STOPS)).toBeGreaterThan(STOPS);
});
