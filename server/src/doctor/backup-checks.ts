import { readdir, realpath, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { HOUR_MS } from "@lineup/api/tiers";
import { APPLICATION_ID, MIGRATIONS } from "../store/sqlite-migrations.ts";
import { codeOf, MOUNTED_READ_ONLY, reasonOf } from "../store/store-error.ts";
import { type Finding, failure, makeCheck, orOk, type Subject, skipped, warning } from "./check.ts";
import { CHECKED_MAX_BYTES, openReadOnly } from "./embedded-facts.ts";
import { findClosed } from "./folder-checks.ts";

const OLD_HOURS = 26;
const TOO_OLD_HOURS = 7 * 24;
const AGAIN = "npx lineup backup FILE";

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
}

const newest = makeCheck("backup", "Newest backup", async ({ backups, config: { dataDir } }) => {
  if (backups === undefined) return skipped("Name the folder of your backups with --backups.");
  const place = resolve(backups);
  const files = await listBackups(place).catch((error: unknown) => reasonOf(error));
  if (typeof files === "string")
    return failure(
      `The backups in ${place} cannot be looked at: ${files}.`,
      "Run npx lineup doctor as a user who may read them, such as the one who makes them.",
    );
  const file = files?.toSorted((a, b) => b.mtimeMs - a.mtimeMs)[0];
  if (files === undefined)
    return failure(
      `There is no ${place}.`,
      "Name the folder that backups are written to, or make it and a first one: npx lineup backup FILE",
    );
  if (file === undefined)
    return failure(
      `There is no backup in ${place}.`,
      `Make one, and then one a day (cron, or a systemd timer, with the server's settings): cd "${process.cwd()}" && npx lineup backup "${place}/lineup-$(date +%F).db" (in a crontab, % is written \\%)`,
    );
  const hours = Math.floor((Date.now() - file.mtimeMs) / HOUR_MS);
  const age = hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
  const well =
    file.size > CHECKED_MAX_BYTES
      ? "is a store that this version restores; too large to look through here, restoring does"
      : "can be restored";
  return orOk(
    [
      findFault(file),
      await judgePlace(file, dataDir),
      judgeAge(file, hours, age),
      judgeMode(file),
      await judgeNext(file),
    ],
    `${file.path}, ${age} old, ${well}`,
  );
});

/** What SQLite keeps beside a store, and a backup that is being made, or was given up. */
const NO_BACKUP = /-(wal|shm|journal)$|\.unfinished(-\d+)?$/;

/** Undefined where there is neither file nor folder. */
async function listBackups(place: string): Promise<FoundFile[] | undefined> {
  const found = await stat(place).catch(ignoreMissing);
  if (found === undefined) return undefined;
  const names = found.isDirectory() ? (await readdir(place)).map((name) => join(place, name)) : [place];
  const files: FoundFile[] = [];
  // Other files may lie in the folder as well.
  const isMeant = (name: string) =>
    name === place || (!NO_BACKUP.test(name) && (/\.(db|sqlite3?|backup|bak)$/.test(name) || !/\.\w{1,8}$/.test(name)));
  for (const path of names.filter(isMeant)) {
    // What is named may be gone by now, or a link to what is.
    const one = await stat(path).catch(ignoreMissing);
    if (one?.isFile()) files.push({ path, size: one.size, mtimeMs: one.mtimeMs, mode: one.mode });
  }
  return files;
}

function ignoreMissing(error: unknown): undefined {
  if (!["ENOENT", "ENOTDIR"].includes(codeOf(error))) throw error;
}

function judgeAge({ path }: FoundFile, hours: number, age: string): Finding | undefined {
  if (hours <= OLD_HOURS) return undefined;
  const found = `The newest backup, ${path}, is ${age} old.`;
  return (hours > TOO_OLD_HOURS ? failure : warning)(
    found,
    `Make one now (${AGAIN}), and see why the daily one did not run.`,
  );
}

async function judgePlace({ path }: FoundFile, dataDir: string): Promise<Finding | undefined> {
  const [place, folder] = await Promise.all([realpath(path), realpath(dataDir).catch(() => undefined)]);
  if (dirname(place) !== folder) return undefined;
  return warning(
    `${path} lies in the data folder: what takes the one takes the other.`,
    "Write backups elsewhere, best to another disk, and name that folder with --backups.",
  );
}

function judgeMode({ path, mode }: FoundFile): Finding | undefined {
  if ((mode & 0o077) === 0 || process.platform === "win32") return undefined;
  return warning(`Others on this machine may read ${path}, which holds all data.`, `Close it: chmod 600 ${path}`);
}

/** Whether the next one can be written beside it. */
async function judgeNext({ path, size }: FoundFile): Promise<Finding | undefined> {
  const folder = dirname(path);
  const closedFor = await findClosed(folder);
  if (closedFor !== undefined)
    return warning(
      `The next backup cannot be written to ${folder}.`,
      closedFor === "EROFS"
        ? MOUNTED_READ_ONLY
        : `Give the folder to the user that makes the backups: chown USER ${folder} && chmod 700 ${folder}`,
    );
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= size) return undefined;
  return warning(
    `The disk of ${folder} has no room for another backup as large as the newest.`,
    "Move older backups elsewhere, or give them a larger disk.",
  );
}

/** As a restore would look at it; of a large one only at its beginning, which names how long it has to be. */
function findFault({ path, size }: FoundFile): Finding | undefined {
  const bad = (why: string) =>
    failure(
      `${path} cannot be restored: ${why}.`,
      `Make another (${AGAIN}) and check the disk it is on; until then, keep the one before.`,
    );
  if (size === 0) return bad("it is empty");
  try {
    const backup = openReadOnly(path);
    try {
      if (backup.applicationId !== APPLICATION_ID) return bad("it is not a Lineup store");
      if (backup.version > MIGRATIONS.length)
        return bad(`it was made by a newer version of Lineup (schema ${backup.version})`);
      const damage = size > CHECKED_MAX_BYTES ? undefined : backup.findDamage("integrity_check");
      return damage === undefined ? undefined : bad(`it is damaged (${damage})`);
    } finally {
      backup.close();
    }
  } catch (error) {
    return bad(`it is damaged, or no backup (${reasonOf(error)})`);
  }
}

export const BACKUP_SUBJECT: Subject = { title: "Backups", checks: [newest] };
