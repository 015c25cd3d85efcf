import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLineup } from "../../test/run-lineup.ts";
import { ENGINE, runSql } from "../../test/test-store.ts";
import { SECRET_FILE } from "../store/secret-file.ts";

let folder: string;
let dataDir: string;
let orgId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-audit-command-"));
  dataDir = join(folder, "data");
  // What this machine has seen of a log on PostgreSQL is kept where there is a folder.
  mkdirSync(dataDir);
  orgId = JSON.parse((await lineup("org", "create", "--name", "Northwind", "--json")).out).id;
  await lineup("org", "tier", orgId, "Pro");
  await lineup("org", "create", "--name", "Southwind");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir });

describe("lineup audit verify", () => {
  test("says in one line that the log is whole, and ends with 0", async () => {
    const { code, out, err } = await lineup("audit", "verify");
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "✓ The audit log is whole: 3 logs with 6 entries.\n",
      err: "",
    });
    const one = await lineup("audit", "verify", "--org", "Northwind");
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining("2 logs with 5 entries") });
    expect(await lineup("audit", "verify", "--org", "Westwind")).toMatchObject({ code: 1, out: "" });
  });

  test("gives all of it to programs", async () => {
    const { code, out } = await lineup("audit", "verify", "--json");
    const report = JSON.parse(out);
    expect([code, report.isPassed, report.entries, report.findings]).toEqual([0, true, 6, []]);
    expect([report.isWhole, report.isVouched]).toEqual([true, true]);
    const chain = report.chains.find((one: { chainId: string }) => one.chainId === orgId);
    expect(chain).toMatchObject({ name: "Northwind", count: 2, vouchedTo: 2, marks: [report.mark] });
  });

  test("makes a receipt, goes on from it, and keeps it when something is found", async () => {
    const file = join(folder, "receipt.json");
    expect((await lineup("audit", "verify", "--receipt", file)).err).toContain(`Wrote ${file}`);
    await lineup("org", "rename", orgId, "Northwind Esports");
    const renewed = await lineup("audit", "verify", "--receipt", file);
    expect(renewed.out).toMatch(/is whole: 3 logs with 7 entries, and goes on from the receipt of 20/);
    expect(renewed.err).toContain(`Renewed ${file}`);
    const kept = readFileSync(file, "utf8");
    expect(JSON.parse(kept).chains[orgId].count).toBe(3);

    await runSql(dataDir, "UPDATE audit SET actor_name = 'nobody' WHERE org_id = ? AND seq = 2", orgId);
    const found = await lineup("audit", "verify", "--receipt", file);
    expect(found.code).toBe(1);
    expect(found.out).toContain(`✗ Northwind Esports (${orgId}), entry 2: Entry 2 does not follow from entry 1`);
    expect(found.out).toContain("The audit log is not whole: 1 finding");
    expect(found.err).toContain(`${file} was left as it is.`);
    expect(readFileSync(file, "utf8")).toBe(kept);
    await runSql(dataDir, "UPDATE audit SET actor_name = 'org tier' WHERE org_id = ? AND seq = 2", orgId);
    expect((await lineup("audit", "verify", "--receipt", file)).code).toBe(0);
  });

  test("refuses a file that is no receipt, and leaves it as it is", async () => {
    const file = join(folder, "letter.json");
    writeFileSync(file, '{"dear":"auditor"}');
    expect(await lineup("audit", "verify", "--receipt", file)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/no receipt/),
    });
    expect(readFileSync(file, "utf8")).toBe('{"dear":"auditor"}');
  });

  test("vouches for nothing where the secret is another or none, and says so", async () => {
    const env = { LINEUP_DATA_DIR: dataDir, LINEUP_SECRET: "x".repeat(40) };
    const other = await runLineup(["audit", "verify"], env);
    expect(other.code).toBe(1);
    expect(other.out).toContain(
      "Nothing was found in 3 logs with 7 entries, but 7 entries cannot be vouched for here.",
    );
    expect(other.out).toMatch(
      /\? Southwind \(org_\w+\): Entry 1 was sealed by an earlier secret, marked \w{16}, and cannot/,
    );
    expect(other.err).toMatch(/LINEUP_SECRET.*--accept-others/s);
    const json = await runLineup(["audit", "verify", "--json"], env);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { isPassed: false, isWhole: true, isVouched: false }]);
    const accepted = await runLineup(["audit", "verify", "--accept-others", "--json"], env);
    expect([accepted.code, JSON.parse(accepted.out)]).toMatchObject([0, { isPassed: true, isVouched: false }]);
    const [file, aside] = [join(dataDir, SECRET_FILE), join(folder, "secret-aside")];
    if (ENGINE === "sqlite") renameSync(file, aside);
    const none = await runLineup(["audit", "verify"], { LINEUP_DATA_DIR: dataDir, LINEUP_SECRET: undefined });
    expect(none).toMatchObject({ code: 1, out: expect.stringContaining("This machine has no secret") });
    if (ENGINE === "sqlite") {
      // As a folder that was restored without it.
      expect(none.out).not.toContain("not whole");
      expect(none.err).toContain(`put that one back as ${file}`);
      renameSync(aside, file);
    }
    expect((await lineup("audit", "verify")).code).toBe(0);
  });

  test("takes a log that lineup restore has put back for what it is, and one that was put back otherwise for cut off", async () => {
    const backup = join(folder, "backup.db");
    expect((await lineup("backup", backup)).code).toBe(0);
    await lineup("org", "tier", orgId, "Free");
    expect((await lineup("restore", backup)).err).toContain("audit-marks.set-aside");
    expect((await lineup("audit", "verify")).code).toBe(0);
    const [heads, seals] = await Promise.all(
      ["audit_heads", "audit_seals"].map((table) => runSql(dataDir, `SELECT * FROM ${table} WHERE org_id = ?`, orgId)),
    );
    await lineup("org", "tier", orgId, "Free");
    expect((await lineup("audit", "verify")).code).toBe(0);
    const [head, seal] = [heads?.[0], seals?.[0]];
    const end = [head?.count, head?.hash];
    await runSql(dataDir, "DELETE FROM audit WHERE org_id = ? AND seq > ?", orgId, head?.count);
    await runSql(dataDir, "UPDATE audit_heads SET count = ?, hash = ? WHERE org_id = ?", ...end, orgId);
    await runSql(
      dataDir,
      "UPDATE audit_seals SET count = ?, hash = ?, seal = ? WHERE org_id = ?",
      ...end,
      seal?.seal,
      orgId,
    );
    expect(await lineup("audit", "verify")).toMatchObject({
      code: 1,
      out: expect.stringContaining("which this machine has seen, is another or is missing now"),
    });
  });
});
