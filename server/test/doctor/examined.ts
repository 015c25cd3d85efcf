/** What `lineup doctor` says of a set-up, for tests. */
import { expect } from "vitest";
import type { ReportedFinding } from "../../src/doctor/check.ts";
import { type LineupSettings, runLineup, startLineup } from "../run-lineup.ts";

export interface Examined {
  readonly code: number | null;
  readonly out: string;
  readonly checks: readonly ReportedFinding[];
}

export async function examine(settings: LineupSettings, words: readonly string[] = []): Promise<Examined> {
  const { code, out, err } = await runLineup(["doctor", "--json", ...words], settings);
  return read(code, out, err);
}

/** In a process of its own, for what a process reads when it begins. */
export async function examineApart(settings: LineupSettings, words: readonly string[] = []): Promise<Examined> {
  const child = await startLineup(["doctor", "--json", ...words], settings);
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  const [out, err] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  return read(await ended, Buffer.concat(out).toString(), Buffer.concat(err).toString());
}

function read(code: number | null, out: string, err: string): Examined {
  if (out === "") throw new Error(`It said nothing: ${err}`);
  return { code, out, checks: (JSON.parse(out) as { checks: ReportedFinding[] }).checks };
}

/** The ids of what is not right, each once. */
export function notRight({ checks }: Examined): string[] {
  return [...new Set(checks.filter(({ state }) => state === "warn" || state === "fail").map(({ id }) => id))];
}

/** That exactly this is found, with what to do about it; and the exit code that goes with it. */
export function expectFault(examined: Examined, id: string, todo: RegExp): void {
  expect(notRight(examined), describeFaults(examined)).toEqual([id]);
  const found = examined.checks.filter((one) => one.id === id);
  expect(found.map((one) => one.todo).join("\n")).toMatch(todo);
  expect(examined.code).toBe(found.some(({ state }) => state === "fail") ? 1 : 0);
}

export function expectAllRight(examined: Examined): void {
  expect(notRight(examined), describeFaults(examined)).toEqual([]);
  expect(examined.code).toBe(0);
}

function describeFaults({ checks }: Examined): string {
  return checks.flatMap(({ id, found, todo }) => (todo === undefined ? [] : [`${id}: ${found} ${todo}`])).join("\n");
}
