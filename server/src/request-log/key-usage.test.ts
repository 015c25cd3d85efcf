import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOUR_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeRecord } from "../../test/request-log/logged-requests.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { alterStore, dropTestStore, openTestStore } from "../../test/test-store.ts";
import { createOrganization, deleteOrganization } from "../access/organizations.ts";
import type { Store } from "../store/store.ts";
import { KeyUsage, readEndpoints, readHours } from "./key-usage.ts";

const HOUR = 490_000;
const AT = HOUR * HOUR_MS + 1_234;
let dataDir: string;
let store: Store;
let orgId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-usage-"));
  store = await openTestStore(dataDir);
});
beforeEach(async () => {
  orgId = (await createOrganization(store, { name: "Used" }, TEST_ORIGIN)).id;
});
afterAll(async () => {
  await store?.close();
  await dropTestStore(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

describe("the use of keys", () => {
  it("is counted by key, hour, endpoint and status, over many writes and servers", async () => {
    const [one, other] = [new KeyUsage(store), new KeyUsage(store)];
    for (const use of [one, other, one]) {
      use.count(makeRecord(orgId, { keyId: "key_a", durationUs: 10 }), AT);
      use.count(makeRecord(orgId, { keyId: "key_a", durationUs: 30, status: 404 }), AT);
      use.count(makeRecord(orgId, { keyId: "key_a", durationUs: 5, status: 500 }), AT + HOUR_MS);
      use.count(makeRecord(orgId, { keyId: "key_b", endpoint: "listTeams" }), AT);
      await use.write();
    }
    expect(await readHours(store, orgId, { fromHour: HOUR })).toEqual([
      { keyId: "key_a", hour: HOUR, answered: 3, refused: 3, failed: 0 },
      { keyId: "key_b", hour: HOUR, answered: 3, refused: 0, failed: 0 },
      { keyId: "key_a", hour: HOUR + 1, answered: 0, refused: 0, failed: 3 },
    ]);
    expect(await readHours(store, orgId, { fromHour: HOUR + 1, keyId: "key_b" })).toEqual([]);
    expect(await readEndpoints(store, orgId, "key_a", HOUR)).toEqual([
      { endpoint: "listPlayers", requests: 9, errors: 6, durationUs: 135 },
    ]);
  });

  it("is read over 400 days, and of no other organization", async () => {
    const foreign = (await createOrganization(store, { name: "Foreign" }, TEST_ORIGIN)).id;
    const use = new KeyUsage(store);
    for (let day = 0; day < 400; day++) {
      use.count(makeRecord(orgId, { keyId: "key_c" }), AT - day * 24 * HOUR_MS);
      use.count(makeRecord(foreign, { keyId: "key_d" }), AT - day * 24 * HOUR_MS);
    }
    await use.write();
    const hours = await readHours(store, orgId, { fromHour: HOUR - 400 * 24 });
    expect(hours).toHaveLength(400);
    expect(new Set(hours.map(({ keyId }) => keyId))).toEqual(new Set(["key_c"]));
    expect(hours.map(({ hour }) => hour)).toEqual(hours.map(({ hour }) => hour).toSorted((a, b) => a - b));
    expect((await readEndpoints(store, orgId, "key_c", HOUR - 399 * 24))[0]?.requests).toBe(400);
    expect(await readEndpoints(store, orgId, "key_d", 0)).toEqual([]);
  });

  it("is not lost when it cannot be written", async () => {
    const use = new KeyUsage(store);
    for (let key = 0; key < 250; key++) use.count(makeRecord(orgId, { keyId: `key_${key}` }), AT);
    await alterStore(dataDir, "ALTER TABLE key_usage RENAME TO key_usage_away");
    await expect(use.write()).rejects.toThrow("key_usage");
    use.count(makeRecord(orgId, { keyId: "key_7" }), AT);
    await alterStore(dataDir, "ALTER TABLE key_usage_away RENAME TO key_usage");
    await use.write();
    await use.write();
    const hours = await readHours(store, orgId, { fromHour: HOUR });
    expect(hours).toHaveLength(250);
    expect(hours.reduce((sum, { answered }) => sum + answered, 0)).toBe(251);
  });

  it("of an organization that is gone goes with it, and does not hold up the others'", async () => {
    const gone = (await createOrganization(store, { name: "Gone" }, TEST_ORIGIN)).id;
    const use = new KeyUsage(store);
    use.count(makeRecord(gone, { keyId: "key_x" }), AT);
    use.count(makeRecord(orgId, { keyId: "key_y" }), AT);
    await deleteOrganization(store, gone, TEST_ORIGIN);
    await use.write();
    expect(await readHours(store, gone, { fromHour: HOUR })).toEqual([]);
    expect(await readHours(store, orgId, { fromHour: HOUR })).toHaveLength(1);
  });

  it("raises no revision: what is remembered stays remembered", async () => {
    const before = [await store.accessRevision(), await store.revisionOf(orgId)];
    const use = new KeyUsage(store);
    use.count(makeRecord(orgId), AT);
    await use.write();
    expect([await store.accessRevision(), await store.revisionOf(orgId)]).toEqual(before);
  });
});
