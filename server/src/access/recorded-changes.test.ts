/** What the audit log is told of keys and organizations: who, from where, what was before and what is after; and never a key. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestStore } from "../../test/test-store.ts";
import type { Origin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { Authenticator } from "./authenticator.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "./key-admin.ts";
import { hashKey } from "./key-format.ts";
import { createOrganization, renameOrganization, setTier } from "./organizations.ts";

const NOW = Date.UTC(2026, 0, 1);
const ROBIN: Origin = { kind: "user", id: "user_robin", name: "Robin", address: "192.0.2.7", requestId: "req_7" };

let folder: string;
let store: Store;
let orgId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-recorded-"));
  store = await openTestStore(folder);
  orgId = (await createOrganization(store, { name: "Told", tier: "Basic" }, ROBIN, NOW)).id;
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly action: string;
  readonly target: string | null;
  readonly changes: unknown;
}

/** What came since it was last asked. */
let seen = 0;
async function tellNew(): Promise<Told[]> {
  const rows = await store
    .org(orgId)
    .selectFrom("audit")
    .selectAll()
    .where("audit.seq", ">", seen)
    .orderBy("audit.seq")
    .execute();
  seen += rows.length;
  for (const row of rows) {
    expect(row).toMatchObject({ actor_kind: "user", actor_id: "user_robin", actor_name: "Robin" });
    expect(row).toMatchObject({ address: "192.0.2.7", request_id: "req_7", at: NOW });
  }
  return rows.map(({ action, target_name: target, changes }) => ({
    action,
    target,
    changes: JSON.parse(changes ?? "null"),
  }));
}

const make = (name: string) =>
  createKey(store, { orgId, name, permissions: ["teams:read"], expiresAt: NOW + DAY_MS }, ROBIN, NOW);

describe("the audit log", () => {
  test("is told that an organization was made, renamed and given another tier", async () => {
    await renameOrganization(store, orgId, "Told again", ROBIN, NOW);
    await setTier(store, orgId, "Pro", ROBIN, NOW);
    expect(await tellNew()).toEqual([
      { action: "organization.created", target: "Told", changes: { name: [null, "Told"], tier: [null, "Basic"] } },
      { action: "organization.renamed", target: "Told again", changes: { name: ["Told", "Told again"] } },
      { action: "tier.changed", target: "Told again", changes: { tier: ["Basic", "Pro"] } },
    ]);
  });

  test("is told of nothing that was so before", async () => {
    const { id } = await make("Same");
    await tellNew();
    await setTier(store, orgId, "Pro", ROBIN, NOW);
    await renameOrganization(store, orgId, "Told again", ROBIN, NOW);
    await updateKey(store, id, { name: " Same ", permissions: ["teams:read"] }, ROBIN, NOW);
    await revokeKey(store, id, ROBIN, NOW);
    expect((await tellNew()).map(({ action }) => action)).toEqual(["key.revoked"]);
    await revokeKey(store, id, ROBIN, NOW);
    expect(await tellNew()).toEqual([]);
  });

  test("is told that a key was made, changed, rotated and revoked, and which key took its place", async () => {
    const made = await make("First");
    await updateKey(store, made.id, { name: "Second", permissions: ["players:read", "teams:read"] }, ROBIN, NOW);
    const { successor } = await rotateKey(store, made.id, 1_000, ROBIN, NOW);
    await revokeKey(store, made.id, ROBIN, NOW);
    expect(made.createdBy).toBe("user_robin");
    const permissions = ["players:read", "teams:read"];
    const end = NOW + DAY_MS;
    expect(await tellNew()).toEqual([
      {
        action: "key.created",
        target: "First",
        changes: {
          name: [null, "First"],
          shownPrefix: [null, made.shownPrefix],
          permissions: [null, ["teams:read"]],
          expiresAt: [null, end],
        },
      },
      {
        action: "key.updated",
        target: "Second",
        changes: { name: ["First", "Second"], permissions: [["teams:read"], permissions] },
      },
      {
        action: "key.rotated",
        target: "Second",
        changes: { successorId: [null, successor.id], expiresAt: [end, NOW + 1_000] },
      },
      {
        action: "key.created",
        target: "Second",
        changes: {
          name: [null, "Second"],
          shownPrefix: [null, successor.shownPrefix],
          permissions: [null, permissions],
          expiresAt: [null, end],
          replaces: [null, made.id],
        },
      },
      { action: "key.revoked", target: "Second", changes: { revokedAt: [null, NOW] } },
    ]);
  });

  test("never has a key, nor a key's hash", async () => {
    const { key, id } = await make("Hidden");
    const { successor } = await rotateKey(store, id, 0, ROBIN, NOW);
    const told = JSON.stringify(await store.audit.selectFrom("audit").selectAll().execute());
    expect(told).toContain(successor.shownPrefix);
    for (const secret of [key, successor.key]) {
      expect(told).not.toContain(secret);
      expect(told).not.toContain(hashKey(secret));
      expect(told).not.toContain(secret.slice(0, 24));
    }
    await tellNew();
  });
});

describe("a key that is changed", () => {
  test("may do from the next request on what it then holds, under its new name", async () => {
    const authenticator = new Authenticator(store);
    const { key, id } = await make("Narrow");
    const before = await authenticator.authenticate(key, NOW);
    await updateKey(store, id, { permissions: ["players:write"] }, ROBIN, NOW);
    const after = await authenticator.authenticate(key, NOW);
    const held = (found: typeof before) => ("holder" in found ? [...found.holder.permissions] : undefined);
    expect([held(before), held(after)]).toEqual([["teams:read"], ["players:write"]]);
    const renamed = await updateKey(store, id, { name: "Wide" }, ROBIN, NOW);
    expect(renamed).toMatchObject({ name: "Wide", permissions: ["players:write"] });
  });

  test("keeps at least one permission and a name", async () => {
    const { id } = await make("Kept");
    await expect(updateKey(store, id, { permissions: [] }, ROBIN)).rejects.toThrow("at least one permission");
    await expect(updateKey(store, id, { permissions: ["players:fly"] }, ROBIN)).rejects.toThrow("players:fly");
    await expect(updateKey(store, id, { name: " " }, ROBIN)).rejects.toThrow("name");
    await expect(updateKey(store, "key_nobody", { name: "X" }, ROBIN)).rejects.toThrow("key_nobody");
  });
});
