import { expect, test } from "vitest";
import { explainFailure } from "../cli/output.ts";
import { explainFault } from "./store-error.ts";

test("says of a disk that is mounted read-only to mount it for writing, not to give rights to somebody", () => {
  const refusal = Object.assign(new Error("EROFS: read-only file system, open 'a'"), { code: "EROFS" });
  for (const message of [explainFault("/data/lineup.db", refusal).message, explainFailure(refusal)]) {
    expect(message).toContain("mount it for writing");
    expect(message).not.toMatch(/access|as a user/);
  }
});
