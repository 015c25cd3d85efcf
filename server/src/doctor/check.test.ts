import { once } from "node:events";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { SUBJECTS } from "../cli/doctor.ts";
import { readUsableConfig } from "../config.ts";
import { type Check, lookAt, ok, runChecks, splitAdvice } from "./check.ts";

const nothing = { version: "0", localUrl: undefined, isHeld: false, worldUrl: undefined, backups: undefined };
/** Of a busy machine, a server in the same process answers within it. */
const LIMIT_MS = 500;
const installation = () => lookAt({ ...readUsableConfig({}), ...nothing });

test("a check that throws, and one that never ends, stop no other", async () => {
  const check = (id: string, run: Check["run"]): Check => ({ id, title: id, run });
  const checks = [
    check("throws", () => {
      throw new Error("The disk is gone. Bring it back.");
    }),
    check("hangs", () => new Promise(() => undefined)),
    check("well", () => ok("right")),
  ];
  const found = await runChecks([{ title: "Some", checks }], installation(), 50);
  expect(found.map(({ id, state }) => [id, state])).toEqual([
    ["throws", "fail"],
    ["hangs", "fail"],
    ["well", "ok"],
  ]);
  expect(found[0]).toMatchObject({ found: "The disk is gone.", todo: "Bring it back." });
  expect(found[1]?.todo).toMatch(/run this again/);
});

test("a check that blocks for longer than any may take makes no server seem silent", async () => {
  const server = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close() && undefined);
  const { port } = server.address() as AddressInfo;
  const asks = (id: string): Check => ({
    id,
    title: id,
    run: async () => ok(String((await fetch(`http://127.0.0.1:${port}`)).status)),
  });
  const blocks: Check = {
    id: "blocks",
    title: "blocks",
    run: async () => {
      // As a look at a file that was found first.
      await stat(import.meta.filename);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * LIMIT_MS);
      return ok("whole");
    },
  };
  const subjects = [
    { title: "Some", checks: [asks("before"), blocks, asks("after")] },
    { title: "Others", checks: [asks("elsewhere")] },
  ];
  const found = await runChecks(subjects, installation(), LIMIT_MS);
  expect(found.map(({ id, state }) => [id, state])).toEqual([
    ["before", "ok"],
    ["blocks", "ok"],
    ["after", "ok"],
    ["elsewhere", "ok"],
  ]);
});

test("no two checks have the same id", () => {
  const ids = SUBJECTS.flatMap(({ checks }) => checks.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test("a message without advice gets some", () => {
  expect(splitAdvice("Something is wrong", "Do this.")).toEqual({ found: "Something is wrong", todo: "Do this." });
});
