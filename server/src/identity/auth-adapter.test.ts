import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { runSql } from "../../test/test-store.ts";
import { Browser, makeUser, openTestPeople, type TestPeople } from "../../test/test-visitor.ts";
import { runAuthWork } from "./auth-work.ts";

let people: TestPeople;
beforeAll(async () => {
  people = await openTestPeople();
});
afterAll(() => people.close());

const visit = new Browser("203.0.113.9").visit();

/** The adapter as the authentication library calls it. */
async function adapter() {
  return (await people.identity.tools.authFor(visit).$context).adapter;
}

function inWork<T>(work: () => Promise<T>): Promise<T> {
  return runAuthWork(people.store, { visit, origin: TEST_ORIGIN }, work);
}

const byId = (id: string) => [{ field: "id", value: id }];

interface Verification {
  readonly id: string;
  readonly identifier: string;
  readonly value: string;
  readonly expiresAt: Date;
}

async function makeVerification(identifier: string, value = "0"): Promise<Verification> {
  const db = await adapter();
  const at = new Date(1_900_000_000_123);
  const data = { identifier, value, expiresAt: at, createdAt: at, updatedAt: at };
  return inWork(() => db.create<Omit<Verification, "id">, Verification>({ model: "verification", data }));
}

describe("the adapter", () => {
  test("gives back moments, truth and texts as they were put in, on either database", async () => {
    const db = await adapter();
    const made = await makeVerification("round trip", "ünïcode ✓");
    expect(made).toMatchObject({ identifier: "round trip", expiresAt: new Date(1_900_000_000_123) });
    expect(await db.findOne({ model: "verification", where: byId(made.id) })).toEqual(made);
    const user = await makeUser(people, { isOperator: true });
    expect(await db.findOne({ model: "user", where: byId(user.id) })).toMatchObject({
      id: user.id,
      isOperator: true,
      emailVerified: false,
      twoFactorEnabled: false,
      image: null,
      createdAt: new Date(user.created_at),
    });
    const [stored] = await runSql(people.dataDir, "SELECT expires_at FROM verifications WHERE id = ?", made.id);
    expect(stored).toEqual({ expires_at: 1_900_000_000_123 });
  });

  test("finds by every comparison it is asked for, in order and in part, and refuses others", async () => {
    const db = await adapter();
    for (const value of ["1", "2", "3"]) await makeVerification("several", value);
    const find = async (operator: "eq" | "ne" | "lt" | "lte" | "gt" | "gte", value: string) => {
      const where = [
        { field: "identifier", value: "several" },
        { field: "value", operator, value },
      ];
      const sortBy = { field: "value", direction: "asc" } as const;
      const rows = await db.findMany<Verification>({ model: "verification", where, sortBy });
      return rows.map((row) => row.value).join("");
    };
    expect(await find("eq", "2")).toBe("2");
    expect(await find("ne", "2")).toBe("13");
    expect(await find("lt", "2")).toBe("1");
    expect(await find("lte", "2")).toBe("12");
    expect(await find("gt", "2")).toBe("3");
    expect(await find("gte", "2")).toBe("23");
    const several = [{ field: "identifier", value: "several" }];
    const newest = { model: "verification", where: several, sortBy: { field: "value", direction: "desc" } } as const;
    expect(await db.findMany({ ...newest, where: several, limit: 1, offset: 1 })).toMatchObject([{ value: "2" }]);
    expect(await db.count({ model: "verification", where: several })).toBe(3);
    const among = [...several, { field: "value", operator: "in" as const, value: ["1", "3"] }];
    expect(await db.count({ model: "verification", where: among })).toBe(2);
    const part = [{ field: "value", operator: "contains" as const, value: "1" }];
    await expect(db.findMany({ model: "verification", where: part })).rejects.toThrow("does not know");
  });

  test("changes and removes rows only in a transaction", async () => {
    const db = await adapter();
    const { id } = await makeVerification("changed");
    const change = () => db.update({ model: "verification", where: byId(id), update: { value: "new" } });
    await expect(change()).rejects.toThrow("outside of a transaction");
    expect(await inWork(change)).toMatchObject({ id, value: "new" });
    expect(await inWork(() => db.updateMany({ model: "verification", where: byId(id), update: { value: "x" } }))).toBe(
      1,
    );
    expect(await inWork(() => db.deleteMany({ model: "verification", where: byId(id) }))).toBe(1);
    expect(await inWork(change)).toBeNull();
    const rolledBack = inWork(async () => {
      await change();
      const at = new Date();
      const data = { identifier: "gone", value: "", expiresAt: at, createdAt: at, updatedAt: at };
      await db.create({ model: "verification", data });
      throw new Error("on purpose");
    });
    await expect(rolledBack).rejects.toThrow("on purpose");
    expect(await db.count({ model: "verification", where: [{ field: "identifier", value: "gone" }] })).toBe(0);
  });

  test("lets one of many consume a row, and counts up without losing any", async () => {
    const db = await adapter();
    const { id } = await makeVerification("consumed");
    const consumed = await Promise.all(
      Array.from({ length: 8 }, () => inWork(() => db.consumeOne({ model: "verification", where: byId(id) }))),
    );
    expect(consumed.filter((row) => row !== null)).toHaveLength(1);

    const user = await makeUser(people);
    const data = { userId: user.id, secret: "s", backupCodes: "b", verified: true };
    const factor = await inWork(() =>
      db.create<typeof data, typeof data & { id: string }>({ model: "twoFactor", data }),
    );
    const increment = { failedVerificationCount: 1 };
    await Promise.all(
      Array.from({ length: 8 }, () =>
        inWork(() => db.incrementOne({ model: "twoFactor", where: byId(factor.id), increment })),
      ),
    );
    const guarded = [...byId(factor.id), { field: "failedVerificationCount", operator: "lt" as const, value: 8 }];
    expect(await inWork(() => db.incrementOne({ model: "twoFactor", where: guarded, increment }))).toBeNull();
    const [row] = await runSql(
      people.dataDir,
      "SELECT failed_verification_count FROM two_factors WHERE id = ?",
      factor.id,
    );
    expect(row).toEqual({ failed_verification_count: 8 });
  });

  test("keeps the hash of a session's token, and answers with the token that it was asked with", async () => {
    const db = await adapter();
    const user = await makeUser(people);
    const at = new Date();
    const data = { userId: user.id, token: "the token", expiresAt: at, createdAt: at, updatedAt: at };
    expect(await inWork(() => db.create({ model: "session", data }))).toMatchObject({ token: "the token" });
    const [row] = await runSql(people.dataDir, "SELECT token, ip_address FROM sessions WHERE user_id = ?", user.id);
    const hash = createHash("sha256").update("the token").digest("hex");
    expect(row).toEqual({ token: hash, ip_address: "203.0.113.9" });
    const find = (token: string) => db.findOne({ model: "session", where: [{ field: "token", value: token }] });
    expect(await find("the token")).toMatchObject({ token: "the token", userId: user.id });
    expect(await find(hash)).toBeNull();
  });
});
