/** Faults of settings, folder, embedded store and backups: each is planted in a real folder beside a real server's lock, found, and mended as told. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CHECKED_MAX_BYTES } from "../../src/doctor/embedded-facts.ts";
import { noteMoved } from "../../src/store/data-folder.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { MIGRATIONS } from "../../src/store/sqlite-migrations.ts";
import { makeSelfSigned } from "../hostile/self-signed.ts";
import { type LineupSettings, runLineup } from "../run-lineup.ts";
import { killLiving, serve } from "../serving-process.ts";
import { examine, expectAllRight, expectFault } from "./examined.ts";

const DAY_MS = 86_400_000;
let root: string;
let healthy: string;
/** Where it answers. */
let origin: string;
let stop: () => Promise<unknown>;

/** A server that was used, and its folder as it was left when it stopped. */
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineup-doctor-"));
  healthy = join(root, "healthy");
  const settings = { LINEUP_DATA_DIR: healthy };
  await runLineup(["org", "create", "--name", "A"], settings);
  await runLineup(["user", "create", "--email", "a@example.com", "--org", "A", "--role", "owner"], settings);
  await runLineup(["webhook", "create", "--org", "A", "--url", "https://example.com/hook"], settings);
  await (await serve([], settings)).stop("SIGTERM");
  // Its endpoint is made up, and may have been asked meanwhile.
  sql(healthy, "UPDATE webhooks SET failing_since = NULL");
});

afterAll(async () => {
  await stop?.();
  killLiving();
  rmSync(root, { recursive: true, force: true });
});

function copyHealthy(parent = root): string {
  const folder = join(mkdtempSync(join(parent, "lineup-case-")), "data");
  cpSync(healthy, folder, { recursive: true, preserveTimestamps: true });
  chmodSync(folder, 0o700);
  onTestFinished(() => rmSync(join(folder, ".."), { recursive: true, force: true }));
  return folder;
}

function sql(folder: string, statements: string): void {
  const database = new Sqlite(join(folder, "lineup.db"));
  database.exec(statements);
  database.close();
}

interface Planted {
  readonly settings?: Record<string, string>;
  readonly words?: readonly string[];
  /** As the advice says. Whatever it returns is what the settings are then. */
  readonly mend?: () => Promise<unknown> | unknown;
}

interface Fault {
  readonly name: string;
  readonly id: string;
  readonly todo: RegExp;
  plant(folder: string): Planted | Promise<Planted>;
}

const keep = (file: string) => {
  const kept = `${file}.kept`;
  cpSync(file, kept);
  return () => renameSync(kept, file);
};

const FAULTS: readonly Fault[] = [
  {
    name: "a setting that is mistyped",
    id: "settings",
    todo: /LINEUP_LOG_LEVEL/,
    plant: () => ({ settings: { LINEUP_LOGLEVEL: "warn" } }),
  },
  {
    name: "a setting that is wrong",
    id: "settings",
    todo: /Correct LINEUP_DATABASE_POOL/,
    plant: () => ({ settings: { LINEUP_DATABASE_POOL: "many" } }),
  },
  {
    name: "a secret given twice",
    id: "settings",
    todo: /Keep one/,
    plant: () => ({ settings: { LINEUP_METRICS_TOKEN: "a-token-of-metrics", LINEUP_METRICS_TOKEN_FILE: "/nowhere" } }),
  },
  {
    name: "a folder given as the file of a secret, without advice that would close it",
    id: "settings",
    todo: /^Name a readable file\.$/,
    plant: (folder) => {
      mkdirSync(`${folder}-token`);
      chmodSync(`${folder}-token`, 0o755);
      return { settings: { LINEUP_METRICS_TOKEN_FILE: `${folder}-token` } };
    },
  },
  {
    name: "a certificate that is not there",
    id: "settings",
    todo: /readable file/,
    plant: () => ({ settings: { LINEUP_TLS_CERT: "/nowhere/cert.pem" } }),
  },
  {
    name: "a certificate without its key",
    id: "settings",
    todo: /Set both/,
    plant: (folder) => {
      const file = `${folder}-cert.pem`;
      writeFileSync(file, makeSelfSigned(1001).cert);
      return { settings: { LINEUP_HOST: "0.0.0.0", LINEUP_TLS_CERT: file } };
    },
  },
  {
    name: "any client trusted as a proxy",
    id: "settings",
    todo: /proxy's own addresses/,
    plant: () => ({ settings: { LINEUP_TRUST_PROXY: "0.0.0.0/0" } }),
  },
  {
    name: "webhooks that may be sent to any address",
    id: "settings",
    todo: /range of your own endpoints/,
    plant: () => ({ settings: { LINEUP_WEBHOOK_ALLOW: "10.0.0.0/8, ::/0" } }),
  },
  {
    name: "workers without PostgreSQL",
    id: "settings-agree",
    todo: /LINEUP_DATABASE_URL and LINEUP_REDIS_URL/,
    plant: () => ({ settings: { LINEUP_WORKERS: "4" } }),
  },
  {
    name: "a server that can be reached past its proxy",
    id: "settings-agree",
    todo: /LINEUP_HOST to 127\.0\.0\.1/,
    plant: () => ({ settings: { LINEUP_HOST: "0.0.0.0", LINEUP_TRUST_PROXY: "127.0.0.1" } }),
  },
  {
    name: "a file of a secret that everybody may read",
    id: "secret-files",
    todo: /chmod 600/,
    plant: (folder) => {
      const file = `${folder}-token`;
      writeFileSync(file, "a-token-of-metrics", { mode: 0o644 });
      return { settings: { LINEUP_METRICS_TOKEN_FILE: file } };
    },
  },
  {
    name: "a folder that cannot be written",
    id: "data-folder",
    todo: /chmod 700/,
    plant: (folder) => {
      chmodSync(folder, 0o500);
      return { mend: () => chmodSync(folder, 0o700) };
    },
  },
  {
    name: "a store that cannot be written",
    id: "data-files",
    todo: /chmod 600 .*lineup\.db/,
    plant: (folder) => {
      chmodSync(join(folder, "lineup.db"), 0o400);
      return { mend: () => chmodSync(join(folder, "lineup.db"), 0o600) };
    },
  },
  {
    name: "a folder that everybody may look into",
    id: "data-folder",
    todo: /chmod 700/,
    plant: (folder) => {
      chmodSync(folder, 0o755);
      return { mend: () => chmodSync(folder, 0o700) };
    },
  },
  {
    name: "a folder that is not there",
    id: "data-folder",
    todo: /LINEUP_DATA_DIR/,
    plant: (folder) => {
      renameSync(folder, `${folder}-elsewhere`);
      return { mend: () => renameSync(`${folder}-elsewhere`, folder) };
    },
  },
  {
    name: "a secret that everybody may read",
    id: "data-files",
    todo: /chmod 600 .*secret/,
    plant: (folder) => {
      chmodSync(join(folder, "secret"), 0o644);
      return { mend: () => chmodSync(join(folder, "secret"), 0o600) };
    },
  },
  {
    name: "a store that is gone",
    id: "store",
    todo: /npx lineup restore FILE/,
    plant: async (folder) => {
      const backup = `${folder}-backup.db`;
      await runLineup(["backup", backup], { LINEUP_DATA_DIR: folder });
      rmSync(join(folder, "lineup.db"));
      return { mend: () => runLineup(["restore", backup], { LINEUP_DATA_DIR: folder }) };
    },
  },
  {
    name: "a store that was moved",
    id: "store",
    todo: /LINEUP_DATABASE_URL/,
    plant: (folder) => {
      noteMoved(folder, "PostgreSQL at db.example:5432, database lineup");
      return { mend: () => rmSync(join(folder, "moved-to")) };
    },
  },
  {
    name: "a store that is damaged",
    id: "store",
    todo: /npx lineup restore FILE/,
    plant: async (folder) => {
      const backup = `${folder}-backup.db`;
      await runLineup(["backup", backup], { LINEUP_DATA_DIR: folder });
      const bytes = readFileSync(join(folder, "lineup.db"));
      writeFileSync(join(folder, "lineup.db"), bytes.fill(0x5a, 8_192, 40_960));
      return { mend: () => runLineup(["restore", backup], { LINEUP_DATA_DIR: folder }) };
    },
  },
  {
    name: "a store of a newer version",
    id: "store",
    todo: /version or a later one/,
    plant: (folder) => {
      sql(folder, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
      return { mend: () => sql(folder, `PRAGMA user_version = ${MIGRATIONS.length}`) };
    },
  },
  {
    name: "a store of an older version",
    id: "store",
    todo: /npx lineup migrate/,
    plant: async (folder) => {
      rmSync(folder, { recursive: true });
      const { store } = await openSqliteStore(folder, { migrations: MIGRATIONS.slice(0, -1) });
      await store.close();
      const mend = async () => {
        await runLineup(["migrate"], { LINEUP_DATA_DIR: folder });
        await runLineup(["user", "create", "--email", "a@example.com"], { LINEUP_DATA_DIR: folder });
      };
      return { mend };
    },
  },
  {
    name: "a journal that has grown",
    id: "store-journal",
    todo: /restart the server/,
    plant: (folder) => {
      const wal = join(folder, "lineup.db-wal");
      writeFileSync(wal, "", { mode: 0o600 });
      truncateSync(wal, 140_000_000);
      return { mend: () => rmSync(wal) };
    },
  },
  {
    name: "counted requests that are damaged",
    id: "limits",
    todo: /move .*limits\.db away/,
    plant: (folder) => {
      writeFileSync(join(folder, "limits.db"), "not a database, but long enough to be taken for one".repeat(100), {
        mode: 0o600,
      });
      return { mend: () => renameSync(join(folder, "limits.db"), `${folder}-limits.db`) };
    },
  },
  {
    name: "a secret that is gone",
    id: "secret",
    todo: /Put your copy back/,
    plant: (folder) => {
      renameSync(join(folder, "secret"), `${folder}-secret`);
      return { mend: () => renameSync(`${folder}-secret`, join(folder, "secret")) };
    },
  },
  {
    name: "another secret than the store's",
    id: "secret",
    todo: /Put the one back/,
    plant: (folder) => {
      const mend = keep(join(folder, "secret"));
      writeFileSync(join(folder, "secret"), `${"ab".repeat(32)}\n`);
      return { mend };
    },
  },
  {
    name: "a secret that was cut off",
    id: "secret",
    todo: /Put it back from your backup/,
    plant: (folder) => {
      const mend = keep(join(folder, "secret"));
      writeFileSync(join(folder, "secret"), "abc");
      return { mend };
    },
  },
  {
    name: "an audit log that was cut",
    id: "audit-log",
    todo: /npx lineup audit verify/,
    plant: (folder) => {
      const mend = keep(join(folder, "lineup.db"));
      sql(folder, "DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit AS a WHERE a.org_id = audit.org_id)");
      return { mend };
    },
  },
  {
    name: "what was seen of the audit log damaged",
    id: "audit-log",
    todo: /remove it/,
    plant: (folder) => {
      writeFileSync(join(folder, "audit-marks"), "{", { mode: 0o600 });
      return { mend: () => rmSync(join(folder, "audit-marks")) };
    },
  },
  {
    name: "a store from the future",
    id: "clock-and-data",
    todo: /NTP/,
    plant: (folder) => {
      const mend = keep(join(folder, "lineup.db"));
      sql(folder, `UPDATE audit SET at = ${Date.now() + DAY_MS}`);
      return { mend };
    },
  },
  {
    name: "nobody who has an account",
    id: "first-owner",
    todo: /npx lineup user create --email/,
    plant: (folder) => {
      sql(folder, "PRAGMA foreign_keys = ON; DELETE FROM users");
      const words = ["user", "create", "--email", "b@example.com", "--org", "A", "--role", "owner"];
      return { mend: () => runLineup(words, { LINEUP_DATA_DIR: folder }) };
    },
  },
  {
    name: "a webhook that takes nothing",
    id: "webhooks",
    todo: /npx lineup webhook test/,
    plant: (folder) => {
      sql(folder, `UPDATE webhooks SET failing_since = ${Date.now() - 3 * DAY_MS}`);
      return { mend: () => sql(folder, "UPDATE webhooks SET failing_since = NULL") };
    },
  },
  {
    name: "a webhook that has begun to fail",
    id: "webhooks",
    todo: /npx lineup webhook test/,
    plant: (folder) => {
      sql(folder, `UPDATE webhooks SET failing_since = ${Date.now() - 60_000}`);
      return { mend: () => sql(folder, "UPDATE webhooks SET failing_since = NULL") };
    },
  },
  {
    name: "a webhook whose endpoint is gone",
    id: "webhooks",
    todo: /npx lineup webhook enable/,
    plant: (folder) => {
      sql(folder, "UPDATE webhooks SET disabled_at = 2, disabled_reason = 'The endpoint answered 410 Gone.'");
      return {
        mend: () => sql(folder, "UPDATE webhooks SET disabled_reason = 'Disabled by a command.', failing_since = 1"),
      };
    },
  },
  {
    name: "a webhook that was disabled because it failed",
    id: "webhooks",
    todo: /npx lineup webhook enable/,
    plant: (folder) => {
      sql(
        folder,
        `UPDATE webhooks SET failing_since = 1, disabled_at = 2, disabled_reason = 'No attempt has succeeded for 5 days.'`,
      );
      const mend = async () => {
        const { out } = await runLineup(["webhook", "list", "--org", "A", "--json"], { LINEUP_DATA_DIR: folder });
        const [{ id }] = JSON.parse(out) as [{ id: string }];
        return runLineup(["webhook", "enable", id], { LINEUP_DATA_DIR: folder });
      };
      return { mend };
    },
  },
  {
    name: "a restore that was interrupted",
    id: "leftovers",
    todo: /rm -r .*restore-in-progress/,
    plant: (folder) => {
      mkdirSync(join(folder, "restore-in-progress"));
      return { mend: () => rmSync(join(folder, "restore-in-progress"), { recursive: true }) };
    },
  },
  {
    name: "no backup",
    id: "backup",
    todo: /cd \S+ && npx lineup backup \S+-backups/,
    plant: (folder) => {
      const backups = `${folder}-backups`;
      mkdirSync(backups);
      symlinkSync(join(backups, "gone.db"), join(backups, "latest.db"));
      return {
        words: ["--backups", backups],
        mend: () => runLineup(["backup", join(backups, "a.db")], { LINEUP_DATA_DIR: folder }),
      };
    },
  },
  {
    name: "a backup that cannot be looked at",
    id: "backup",
    todo: /as a user who may read them/,
    plant: async (folder) => {
      const backups = `${folder}-backups`;
      mkdirSync(backups);
      await runLineup(["backup", join(backups, "a.db")], { LINEUP_DATA_DIR: folder });
      symlinkSync("latest.db", join(backups, "latest.db"));
      return { words: ["--backups", backups], mend: () => rmSync(join(backups, "latest.db")) };
    },
  },
  {
    name: "an old backup",
    id: "backup",
    todo: /npx lineup backup FILE/,
    plant: (folder) => plantBackup(folder, (file) => utimesSync(file, new Date(), new Date(Date.now() - 3 * DAY_MS))),
  },
  {
    name: "a backup that is cut off",
    id: "backup",
    todo: /npx lineup backup FILE/,
    plant: (folder) => plantBackup(folder, (file) => truncateSync(file, 50_000)),
  },
  {
    name: "a backup that is empty",
    id: "backup",
    todo: /npx lineup backup FILE/,
    plant: (folder) => plantBackup(folder, (file) => truncateSync(file, 0)),
  },
  {
    name: "a backup in the data folder",
    id: "backup",
    todo: /elsewhere/,
    plant: async (folder) => {
      const [inside, file] = [join(folder, "kept.db"), `${folder}-backup.db`];
      await runLineup(["backup", inside], { LINEUP_DATA_DIR: folder });
      symlinkSync(inside, file);
      return { words: ["--backups", file], mend: () => renameSync(inside, file) };
    },
  },
  {
    name: "a folder of backups that nothing can be written to",
    id: "backup",
    todo: /chmod 700/,
    plant: async (folder) => {
      const backups = `${folder}-backups`;
      mkdirSync(backups);
      await runLineup(["backup", join(backups, "a.db")], { LINEUP_DATA_DIR: folder });
      chmodSync(backups, 0o500);
      return { words: ["--backups", backups], mend: () => chmodSync(backups, 0o700) };
    },
  },
  {
    name: "a backup that everybody may read",
    id: "backup",
    todo: /chmod 600/,
    plant: (folder) => plantBackup(folder, (file) => chmodSync(file, 0o644)),
  },
];

async function plantBackup(folder: string, spoil: (file: string) => void): Promise<Planted> {
  const file = `${folder}-backup.db`;
  await runLineup(["backup", file], { LINEUP_DATA_DIR: folder });
  spoil(file);
  return {
    words: ["--backups", file],
    mend: () => runLineup(["backup", file, "--force"], { LINEUP_DATA_DIR: folder }),
  };
}

describe("without a server", () => {
  /** That none answers is told, and nothing else. */
  const SERVER = "server";
  const look = async (settings: LineupSettings, words: readonly string[] = []) => {
    const examined = await examine({ LINEUP_PORT: "0", ...settings }, words);
    return { ...examined, checks: examined.checks.filter(({ id }) => id !== SERVER) };
  };

  test.each(FAULTS)("finds $name, and that it was mended", async ({ id, todo, plant }) => {
    const folder = copyHealthy();
    const { settings = {}, words = [], mend } = await plant(folder);
    expectFault(await look({ LINEUP_DATA_DIR: folder, ...settings }, words), id, todo);
    await mend?.();
    expectAllRight(await look({ LINEUP_DATA_DIR: folder }, words));
  });

  test.runIf(process.getuid?.() === 0)("finds a file that another user has made", async () => {
    const folder = copyHealthy();
    chownSync(join(folder, "lineup.db"), 65_534, 65_534);
    expectFault(await look({ LINEUP_DATA_DIR: folder }), "data-files", /chown -R 0/);
  });

  test.runIf(existsSync("/dev/shm") && statfsSync("/dev/shm").type === 0x01021994)(
    "finds a store that is in memory",
    async () => {
      const folder = copyHealthy("/dev/shm");
      const { checks } = await look({ LINEUP_DATA_DIR: folder });
      expect(checks.find(({ id }) => id === "file-system")).toMatchObject({
        state: "fail",
        todo: expect.stringContaining("LINEUP_DATA_DIR"),
      });
    },
  );

  test.each([
    "a.db-wal",
    "a.db-shm",
    "a.db-journal",
    "b.db.unfinished",
    "b.db.unfinished-123",
    "b.db.unfinished-123-wal",
    "b.db.unfinished-123-journal",
  ])("takes %s for no backup", async (name) => {
    const folder = copyHealthy();
    const backups = join(folder, "..", "backups");
    mkdirSync(backups);
    await runLineup(["backup", join(backups, "a.db")], { LINEUP_DATA_DIR: folder });
    writeFileSync(join(backups, name), "what is no backup", { mode: 0o600 });
    const examined = await look({ LINEUP_DATA_DIR: folder }, ["--backups", backups]);
    expectAllRight(examined);
    expect(examined.checks.find(({ id }) => id === "backup")?.found).toMatch(/a\.db, 0 hours old/);
  });

  test("looks only at the beginning of a large backup, and says so", async () => {
    const folder = copyHealthy();
    const { words } = await plantBackup(folder, (file) => {
      writeFileSync(file, readFileSync(file).fill(0x5a, 8_192, 40_960));
      truncateSync(file, CHECKED_MAX_BYTES + 1);
    });
    const lookAtBackup = async () =>
      (await look({ LINEUP_DATA_DIR: folder }, words)).checks.find(({ id }) => id === "backup");
    expect(await lookAtBackup()).toMatchObject({
      state: "ok",
      found: expect.stringContaining("too large to look through"),
    });
    writeFileSync(`${folder}-backup.db`, "x", { flag: "r+" });
    expect(await lookAtBackup()).toMatchObject({ state: "fail", found: expect.stringContaining("cannot be restored") });
  });

  test("changes nothing, and leaves nothing behind", async () => {
    const folder = copyHealthy();
    const listAll = () =>
      readdirSync(folder).map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex"),
      ]);
    const before = listAll();
    await look({ LINEUP_DATA_DIR: folder });
    expect(listAll()).toEqual(before);
  });

  test("goes on past settings that are wrong, and says so of each", async () => {
    const folder = copyHealthy();
    const { checks } = await look({
      LINEUP_DATA_DIR: folder,
      LINEUP_HOST: "0.0.0.0",
      LINEUP_SECRET: "short",
      LINEUP_DATABASE_URL: "nonsense",
    });
    expect(checks.filter(({ id }) => id === "settings").map(({ found }) => found.split(" ")[0])).toEqual(
      expect.arrayContaining(["LINEUP_HOST", "LINEUP_SECRET", "LINEUP_DATABASE_URL"]),
    );
    expect(checks.find(({ id }) => id === "disk-space")?.state).toBe("ok");
  });

  test("shows no secret, wherever it came from", async () => {
    const folder = copyHealthy();
    const secrets = {
      LINEUP_SECRET: "a-very-secret-text-of-forty-characters-xyz",
      LINEUP_METRICS_TOKEN: "metrics-token-which-nobody-knows",
    };
    const urls = {
      LINEUP_DATABASE_URL: "postgres://u:pass%40word-hidden@127.0.0.1:1/none",
      LINEUP_REDIS_URL: "redis://:redis-hidden@127.0.0.1:1",
    };
    const { out } = await runLineup(["doctor"], { LINEUP_DATA_DIR: folder, LINEUP_PORT: "0", ...secrets, ...urls });
    for (const hidden of ["a-very-secret", "metrics-token", "pass%40word", "pass@word", "redis-hidden"])
      expect(out).not.toContain(hidden);
    expect(out).toContain("✗ fail    PostgreSQL");
    expect(out).toContain("✗ fail    Redis");
  });

  test("says what to do in whole words where a password is one of them", async () => {
    const settings = { LINEUP_PORT: "0", LINEUP_DATABASE_URL: "postgres://lineup:lineup@127.0.0.1:1/lineup" };
    const { out } = await runLineup(["doctor", "--backups", join(root, "none")], {
      LINEUP_DATA_DIR: root,
      ...settings,
    });
    expect(out).toContain("npx lineup backup FILE");
    expect(out).not.toContain(":lineup@");
  });
});

describe("beside a server", () => {
  let folder: string;
  beforeAll(async () => {
    folder = join(root, "served");
    cpSync(healthy, folder, { recursive: true });
    chmodSync(folder, 0o700);
    // It would be asked here, and fail.
    sql(folder, "DELETE FROM webhook_deliveries; DELETE FROM webhooks");
    const serving = await serve([], { LINEUP_DATA_DIR: folder });
    ({ origin } = serving);
    stop = () => serving.stop("SIGTERM");
  });

  test("finds all right, from outside too", async () => {
    expectAllRight(await examine({ LINEUP_DATA_DIR: folder }, ["--url", origin]));
  });

  test("finds an address that says HTTPS where plain HTTP is spoken", async () => {
    const examined = await examine({ LINEUP_DATA_DIR: folder }, ["--url", origin.replace("http:", "https:")]);
    expectFault(examined, "address", /http:\/\//);
    expect(examined.out).toContain("speaks plain HTTP");
  });

  test("finds a server that works on another folder", async () => {
    const settings = { LINEUP_DATA_DIR: copyHealthy(), LINEUP_PORT: new URL(origin).port };
    expectFault(await examine(settings), "server-folder", /LINEUP_DATA_DIR/);
  });
});
