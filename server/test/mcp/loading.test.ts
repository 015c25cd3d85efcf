import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("a server loads the protocol's library when a key first asks for it, and not before", async () => {
  const script = fileURLToPath(new URL("loaded-modules.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(JSON.parse(stdout)).toEqual({ byApi: false, byStranger: false, byKey: true });
});
