/** Nothing lists what the server writes into the audit log; so its sources are asked. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { KINDS } from "../records/record-kinds.ts";
import { AUDIT_KINDS, AUDIT_SENTENCES } from "../texts/audit-texts.ts";

const SERVER = fileURLToPath(new URL("../../../server/src", import.meta.url));
/** `key.revoked`: an action says what was done. `audit.seq` does not. */
const ACTION = /"([a-z]+\.(?:[a-z]+-)*(?:[a-z]+ed|[a-z]+ing|back|began|found|in|left|made|out|reset|withdrawn))"/g;

function listServerActions(): string[] {
  const sources = globSync("**/*.ts", { cwd: SERVER }).filter((file) => !/\.(test|drill)\.ts$/.test(file));
  const written = sources.flatMap((file) =>
    [...readFileSync(join(SERVER, file), "utf8").matchAll(ACTION)].flatMap(([, action]) => action ?? []),
  );
  // Those of records are put together from their kinds.
  const ofRecords = KINDS.flatMap((kind) => ["created", "updated", "deleted"].map((verb) => `${kind}.${verb}`));
  return [...new Set([...written, ...ofRecords])].toSorted();
}

test("every action that the server writes down is told in a sentence, and no other is", () => {
  expect(Object.keys(AUDIT_SENTENCES).toSorted()).toEqual(listServerActions());
});

test("one can filter by every kind of action", () => {
  const kinds = listServerActions().map((action) => action.slice(0, action.indexOf(".")));
  expect(AUDIT_KINDS.map(({ kind }) => kind).toSorted()).toEqual([...new Set(kinds)].toSorted());
});
