/** What one worker has committed, another knows of at its next look, without being told by the database. */
import { describe, expect, test } from "vitest";
import { SharedWords } from "../workers/shared-words.ts";
import { KnownRevisions } from "./postgres-revisions.ts";
import { SqliteRevisions } from "./sqlite-revisions.ts";

const ORG = "org_01m7fr1wcve00a4dx8kyn1a9s0";

describe("what several workers remember", () => {
  test("of the embedded store, is asked for again in the same turn in which another has written", () => {
    const { writes } = new SharedWords();
    let asked = 0;
    const readers = {
      readVersion: () => ++asked,
      readRevision: () => 1,
      readAccessRevision: () => 1,
    };
    const [one, other] = [new SqliteRevisions(readers, writes), new SqliteRevisions(readers, writes)];
    for (let write = 0; write < 100; write++) {
      const before = other.recentVersion();
      one.noteOwnWrite();
      expect(other.recentVersion()).toBeGreaterThan(before);
    }
  });

  test("of PostgreSQL, is read again though no notification has come, and a reading from before is not waited for", async () => {
    const { writes } = new SharedWords();
    let revision = 1;
    const begun: (() => void)[] = [];
    const known = new KnownRevisions({
      countWrites: (orgId) => writes.readOf(orgId),
      readRevision: (orgId) => {
        const found = orgId === ORG ? revision : undefined;
        return new Promise((resolve) => begun.push(() => resolve(found)));
      },
      readRevisions: async () => new Map(),
    });
    known.begin();
    const early = known.find(ORG);
    revision = 2;
    writes.raiseOf(ORG);
    const late = known.find(ORG);
    for (const answer of begun) answer();
    expect([await early, await late].map(Number)).toEqual([1, 2]);
    expect(known.find(ORG)).toBe(2);
    revision = 3;
    writes.raiseOf(ORG);
    const next = known.find(ORG);
    begun.at(-1)?.();
    expect(await next).toBe(3);
    known.end();
  });
});
