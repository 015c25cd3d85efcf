import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOrganization } from "../../src/access/organizations.ts";
import { explainFailure } from "../../src/cli/output.ts";
import { readLastUsed } from "../../src/limits/journal-transfer.ts";
import { joinDataFolder } from "../../src/store/data-folder.ts";
import { runLineup } from "../run-lineup.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer } from "../test-server.ts";
import { openTestStore } from "../test-store.ts";

let folder: string;
let sound: string;
let key: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-damaged-"));
  sound = join(folder, "sound");
  const server = await startTestServer({ dataDir: sound });
  ({ key } = await makeKey(server, await makeOrg(server)));
  await call(server, "GET", "/teams", { key });
  await server.stop();
  joinDataFolder(sound).release();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = (file: string) => writeFileSync(file, randomBytes(8_192));
const text = (file: string) => writeFileSync(file, "This is something else.\n".repeat(400));
const halve = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));
const empty = (file: string) => writeFileSync(file, "");
const zeros = (file: string) => writeFileSync(file, Buffer.alloc(65));
const makeFolder = (file: string) => {
  rmSync(file, { force: true });
  mkdirSync(file);
};
const makeLink = (file: string) => {
  rmSync(file, { force: true });
  symlinkSync(join(folder, "nowhere"), file);
};
const changeBy = (sql: string) => (file: string) => {
  const database = new Sqlite(file);
  database.exec(sql);
  database.close();
};
const ofAnother = (file: string) => {
  rmSync(file);
  changeBy("CREATE TABLE notes (text TEXT)")(file);
};

type Damage = readonly [file: string, what: string, damage: (file: string) => void, told: RegExp];

function damagedCopy(...damages: readonly Damage[]): string {
  const dataDir = mkdtempSync(join(folder, "copy-"));
  cpSync(sound, dataDir, { recursive: true });
  for (const [name, , damage] of damages) damage(join(dataDir, name));
  return dataDir;
}

async function serve(dataDir: string): Promise<void> {
  const server = await startTestServer({ dataDir });
  await server.stop();
}

/** What a command does that writes. */
async function work(dataDir: string): Promise<void> {
  const lock = joinDataFolder(dataDir);
  try {
    const store = await openTestStore(dataDir);
    try {
      await createOrganization(store, { name: "Another", tier: "Free" }, TEST_ORIGIN);
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

async function expectRefusal(attempt: Promise<void>, [name, , , told]: Damage): Promise<void> {
  const shown = await attempt.then(() => "nothing", explainFailure);
  expect(shown).toMatch(told);
  expect(shown).toContain(join("/", name));
  expect(shown).not.toMatch(/Choose the folder|write access|should not have happened|\n {4}at /);
}

const RESTORE = "npx lineup restore FILE";
const PUT_BACK = "Put it back from your backup; or, if it is lost, move the file away";

describe("a file that is damaged is named, with what to do, to those who serve and to those who run a command", () => {
  const damages: Damage[] = [
    ["lineup.db", "nothing", empty, new RegExp(`is empty.*${RESTORE}`)],
    ["lineup.db", "random bytes", random, new RegExp(`is damaged.*${RESTORE}`)],
    ["lineup.db", "text", text, new RegExp(`is damaged.*${RESTORE}`)],
    ["lineup.db", "half of it", halve, new RegExp(`is damaged.*${RESTORE}`)],
    ["lineup.db", "a folder", makeFolder, new RegExp(`is a folder, not a file.*${RESTORE}`)],
    ["lineup.db", "a link that leads nowhere", makeLink, new RegExp(`is missing.*${RESTORE}`)],
    ["lineup.db", "a store without tables", changeBy("DROP TABLE settings"), new RegExp(`is damaged.*${RESTORE}`)],
    ["lineup.db", "another program's", ofAnother, new RegExp(`of another program.*${RESTORE}`)],
    ["lineup.db-wal", "a folder", makeFolder, /is a folder, not a file\. Move it away, then try again/],
    ["secret", "zeros", zeros, new RegExp(`is damaged.*${PUT_BACK}`)],
    ["secret", "random bytes", random, new RegExp(`is damaged.*${PUT_BACK}`)],
    ["secret", "a folder", makeFolder, new RegExp(`is a folder.*${PUT_BACK}`)],
    ["secret", "a link that leads nowhere", makeLink, new RegExp(`is a link.*${PUT_BACK}`)],
  ];

  test.each(damages)("%s: %s", async (...damage) => {
    await expectRefusal(serve(damagedCopy(damage)), damage);
    await expectRefusal(work(damagedCopy(damage)), damage);
  });
});

describe("a damaged file that only one of them needs is named to that one", () => {
  const MOVE = /cannot be used: .*Move it \(with its -wal and -shm\) away to start with empty windows/;
  const toServers: Damage[] = [
    ["limits.db", "random bytes", random, MOVE],
    ["limits.db", "half of it", halve, MOVE],
    ["limits.db", "a folder", makeFolder, /it is a folder\. Move it/],
    ["limits.db", "another program's", ofAnother, MOVE],
    ["server.lock", "text", text, /is damaged .* Move it away, then try again/],
    ["server.lock", "a folder", makeFolder, /is a folder, not a file\. Move it away, then try again/],
  ];
  const toCommands: Damage[] = [
    ["commands.lock", "text", text, /is damaged .* Move it away, then try again/],
    ["commands.lock", "a folder", makeFolder, /is a folder, not a file\. Move it away, then try again/],
  ];

  test.each(toServers)("%s: %s", async (...damage) => {
    const dataDir = damagedCopy(damage);
    await expectRefusal(serve(dataDir), damage);
    await work(dataDir);
    if (damage[0] === "limits.db") expect(() => readLastUsed(join(dataDir, "limits.db"))).toThrow(/Move it/);
  });

  test.each(toCommands)("%s: %s", async (...damage) => {
    const dataDir = damagedCopy(damage);
    await expectRefusal(work(dataDir), damage);
    await serve(dataDir);
  });
});

describe("damaged files that nobody needs are named in the log, and the server serves", () => {
  const ANEW = "audit-marks does not tell what this machine has seen of the audit log";
  const damages: readonly (readonly [what: string, damages: readonly Damage[]])[] = [
    [
      "with something else in them",
      [
        ["audit-marks", "", random, new RegExp(`${ANEW} \\(it is damaged\\).*begun anew`)],
        ["requests.db", "", random, /requests\.db cannot be used.*was set aside/],
        ["server.json", "", text, /./],
        ["setup-token", "", text, /./],
      ],
    ],
    [
      "with folders in their stead",
      [
        ["audit-marks", "", makeFolder, new RegExp(`${ANEW} \\(it is a folder\\).*begun anew`)],
        ["requests.db", "", makeFolder, /requests\.db is a folder; move it away/],
        ["server.json", "", makeFolder, /./],
      ],
    ],
  ];

  test.each(damages)("%s", async (_, all) => {
    const dataDir = damagedCopy(...all);
    const server = await startTestServer({ dataDir });
    expect((await call(server, "GET", "/teams", { key })).status).toBe(200);
    await makeOrg(server);
    await server.stop();
    const lines = server.logged().split("\n");
    const told = lines.filter((line) => /"level":[45]0/.test(line)).join("\n");
    for (const [, , , expected] of all) expect(told).toMatch(expected);
    expect(told).not.toContain("writable");
  });
});

test("a command says it in one line, and so does a check of the audit log", async () => {
  const damage: Damage = ["secret", "a folder", makeFolder, /^$/];
  const marks: Damage = ["audit-marks", "text", text, /^$/];
  const verify = (dataDir: string) => runLineup(["audit", "verify"], { LINEUP_DATA_DIR: dataDir });
  const [refused, warned] = await Promise.all([verify(damagedCopy(damage)), verify(damagedCopy(marks))]);
  expect(refused).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(/^Error: .*\/secret is a folder.*\n$/),
  });
  expect(warned).toMatchObject({ code: 0, err: expect.stringMatching(/^Warning: .*audit-marks does not tell.*\n$/) });
});
