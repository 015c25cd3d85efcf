import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERMISSIONS } from "@lineup/api/permissions";
import { DAY_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { openTestStore, readStored } from "../../test/test-store.ts";
import type { Store } from "../store/store.ts";
import { Authenticator } from "./authenticator.ts";
import {
  createKey,
  findKey,
  listKeys,
  requireKey,
  requirePermissions,
  revokeKey,
  rotateKey,
  stateOf,
} from "./key-admin.ts";
import { hashKey, isKeyShaped } from "./key-format.ts";
import { createOrganization } from "./organizations.ts";

const NOW = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

let folder: string;
let store: Store;
let orgId: string;
let authenticator: Authenticator;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-keys-"));
  store = await openTestStore(folder);
  authenticator = new Authenticator(store);
  orgId = (await createOrganization(store, { name: "Keyholders" }, TEST_ORIGIN)).id;
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const make = (name: string, expiresAt: number | null = null) =>
  createKey(store, { orgId, name, permissions: ["teams:read"], expiresAt }, TEST_ORIGIN, NOW);

async function outcomeOf(key: string, now: number): Promise<string> {
  return (await authenticator.authenticate(key, now)).outcome;
}

describe("a new key", () => {
  test("opens the API from the next request on", async () => {
    const { key, ...record } = await make("Reader");
    expect(isKeyShaped(key)).toBe(true);
    expect(record).toMatchObject({ orgId, name: "Reader", createdBy: "test", createdAt: NOW, expiresAt: null });
    expect(await outcomeOf(key, NOW)).toBe("valid");
    expect(await findKey(store, record.id)).toEqual(record);
    expect(await listKeys(store, orgId)).toContainEqual(record);
  });

  test("is nowhere in the store but for its hash and first characters", async () => {
    const { key, shownPrefix } = await make("Secret");
    const stored = await readStored(folder);
    expect(stored).toContain(hashKey(key));
    expect(stored).not.toContain(key.slice(shownPrefix.length));
    expect(stored).not.toContain(key.slice(0, shownPrefix.length + 4));
  });

  test("holds its permissions once each, in the specification's order", () => {
    const wanted = ["teams:read", "players:write", " teams:read ", "players:read"];
    expect(requirePermissions(wanted)).toEqual(["players:read", "players:write", "teams:read"]);
    expect(requirePermissions([...PERMISSIONS].reverse())).toEqual(PERMISSIONS);
  });

  test("needs a permission that exists", () => {
    expect(() => requirePermissions([])).toThrow(/at least one permission.*schedule:read/);
    expect(() => requirePermissions(["player:read"])).toThrow(/"player:read".*Did you mean players:read\?/);
    expect(() => requirePermissions(["teams:write"])).toThrow(/"teams:write"/);
  });

  test("refuses an expiry that has passed, and a name that is no name", async () => {
    await expect(make("Late", NOW)).rejects.toThrow("future");
    await expect(make("Never", Number.POSITIVE_INFINITY)).rejects.toThrow("future");
    await expect(make(" ")).rejects.toThrow("must not be empty");
  });
});

describe("revoking a key", () => {
  test("closes it for good, and again changes nothing", async () => {
    const { id, key } = await make("Leaked");
    expect(await revokeKey(store, id, TEST_ORIGIN, NOW + 5)).toMatchObject({
      wasRevoked: false,
      key: { revokedAt: NOW + 5 },
    });
    expect(await outcomeOf(key, NOW + 6)).toBe("revoked");
    expect(await revokeKey(store, id, TEST_ORIGIN, NOW + 9)).toMatchObject({
      wasRevoked: true,
      key: { revokedAt: NOW + 5 },
    });
  });

  test("says how to find an id, and never repeats a key", async () => {
    const { key } = await make("Pasted");
    for (const id of ["key_\0", "", "\ud800"]) expect(await findKey(store, id)).toBeUndefined();
    await expect(revokeKey(store, "key_nobody", TEST_ORIGIN)).rejects.toThrow(/no key "key_nobody".*key list/);
    const refusal = await requireKey(store, key).catch((error: Error) => error.message);
    expect(refusal).toContain("key itself");
    expect(refusal).not.toContain(key.slice(12, 20));
  });
});

describe("rotating a key", () => {
  test("gives a successor of the same kind, and the old key lives for the overlap", async () => {
    const old = await make("Rotated", NOW + 400 * DAY_MS);
    const { successor, old: after } = await rotateKey(store, old.id, 24 * HOUR_MS, TEST_ORIGIN, NOW);
    const { name, permissions, expiresAt } = old;
    expect(successor).toMatchObject({ orgId, name, permissions, expiresAt });
    expect(after).toMatchObject({ expiresAt: NOW + 24 * HOUR_MS, successorId: successor.id });
    expect(await findKey(store, old.id)).toEqual(after);
    expect(await outcomeOf(old.key, NOW + 24 * HOUR_MS - 1)).toBe("valid");
    expect(await outcomeOf(old.key, NOW + 24 * HOUR_MS)).toBe("expired");
    expect(await outcomeOf(successor.key, NOW + 24 * HOUR_MS)).toBe("valid");
  });

  test("never lets the old key live longer than it would have", async () => {
    const old = await make("Ending", NOW + HOUR_MS);
    const { old: after, successor } = await rotateKey(store, old.id, 24 * HOUR_MS, TEST_ORIGIN, NOW);
    expect([after.expiresAt, successor.expiresAt]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  test("without an overlap ends the old key at once", async () => {
    const old = await make("Sharp");
    await rotateKey(store, old.id, 0, TEST_ORIGIN, NOW);
    expect(await outcomeOf(old.key, NOW)).toBe("expired");
  });

  test("is refused for a key that is revoked, expired or rotated already", async () => {
    const [revoked, expired, rotated] = [await make("R"), await make("E", NOW + 1), await make("S")];
    await revokeKey(store, revoked.id, TEST_ORIGIN, NOW);
    const { successor } = await rotateKey(store, rotated.id, HOUR_MS, TEST_ORIGIN, NOW);
    await expect(rotateKey(store, revoked.id, HOUR_MS, TEST_ORIGIN, NOW)).rejects.toThrow("revoked");
    await expect(rotateKey(store, expired.id, HOUR_MS, TEST_ORIGIN, NOW + 1)).rejects.toThrow("expired");
    await expect(rotateKey(store, rotated.id, HOUR_MS, TEST_ORIGIN, NOW)).rejects.toThrow(successor.id);
    await expect(rotateKey(store, successor.id, -1, TEST_ORIGIN, NOW)).rejects.toThrow("overlap");
  });

  test("twice at once makes one successor", async () => {
    const { id } = await make("Raced");
    const results = await Promise.allSettled([
      rotateKey(store, id, 0, TEST_ORIGIN, NOW),
      rotateKey(store, id, 0, TEST_ORIGIN, NOW),
    ]);
    // On PostgreSQL either may come first.
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("the state of a key", () => {
  const fresh = { revokedAt: null, expiresAt: null, successorId: null };
  test.each([
    ["active", fresh],
    ["active", { ...fresh, expiresAt: NOW + 14 * DAY_MS + 1 }],
    ["expires soon", { ...fresh, expiresAt: NOW + 14 * DAY_MS }],
    ["rotating", { ...fresh, expiresAt: NOW + 1, successorId: "key_2" }],
    ["expired", { ...fresh, expiresAt: NOW, successorId: "key_2" }],
    ["expired", { ...fresh, expiresAt: NOW }],
    ["revoked", { ...fresh, expiresAt: NOW, revokedAt: NOW }],
  ] as const)("reads %s", (state, key) => {
    expect(stateOf(key, NOW)).toBe(state);
  });
});
