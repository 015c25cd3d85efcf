import { constants, existsSync } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { readBounded, SMALL_FILE_MAX_BYTES } from "../store/bounded-file.ts";
import { STORE_FILE } from "../store/data-folder.ts";
import { findOpenness } from "../store/private-files.ts";
import { SECRET_FILE } from "../store/secret-file.ts";
import { codeOf, MOUNTED_READ_ONLY } from "../store/store-error.ts";
import {
  type Check,
  type Found,
  failure,
  type Installation,
  makeCheck,
  ok,
  orOk,
  type Subject,
  skipped,
  splitAdvice,
  warning,
} from "./check.ts";

/** Files of others, which Lineup leaves alone, may lie in the folder too. */
const OWN_FILE = /^(lineup|limits|requests)\.db|^(secret|audit-marks|setup-token)$|\.lock$/;
const ROOM_MIN_BYTES = 200 * 1024 * 1024;
const INODES_MIN = 1_000;
const OPEN_FILES_MIN = 4_096;
/** Where Linux tells a process what it may have. */
const OWN_LIMITS = "/proc/self/limits";

/** As `statfs` numbers them. */
const FORGETFUL = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
]);
const ELSEWHERE = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x517b, "SMB"],
  [0x00c36400, "Ceph"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x65735546, "FUSE"],
]);

/** Nothing of a server on PostgreSQL and Redis stands in the folder but what it has seen of the audit log. */
const holdsStore = ({ config }: Installation) => config.databaseUrl === undefined;

function check(id: string, title: string, look: (folder: string, installation: Installation) => Promise<Found>): Check {
  return {
    id,
    title,
    run: async (installation) => {
      const { dataDir } = installation.config;
      if (installation.unusable.has("LINEUP_DATA_DIR")) return skipped("LINEUP_DATA_DIR cannot be used.");
      const isThere = (await stat(dataDir).catch(() => undefined))?.isDirectory() === true;
      return isThere || id === "data-folder" ? look(dataDir, installation) : skipped("There is no data folder.");
    },
  };
}

/** Why nothing can be written to a folder, by the code of the system's refusal; undefined where something can. */
export async function findClosed(folder: string): Promise<string | undefined> {
  const refusal = await access(folder, constants.W_OK | constants.X_OK).then(() => undefined, codeOf);
  // The first user may write anywhere, and neither servers nor backups are often that one's.
  const isClosed = process.platform !== "win32" && ((await stat(folder)).mode & 0o300) !== 0o300;
  return refusal ?? (isClosed ? "EACCES" : undefined);
}

const folderItself = check("data-folder", "Data folder", async (folder, installation) => {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) {
    if (!holdsStore(installation)) return ok(`${folder} is not there yet; the server makes it`);
    const todo =
      'Set LINEUP_DATA_DIR to the folder that holds lineup.db; or, for a new store, start one with "npx lineup serve".';
    return failure(`There is no folder ${folder}.`, todo);
  }
  const closedFor = await findClosed(folder);
  const openness = findOpenness(folder);
  const own = process.geteuid?.() ?? found.uid;
  return orOk(
    [
      closedFor !== undefined &&
        failure(
          `The server may not write to ${folder}.`,
          closedFor === "EROFS"
            ? MOUNTED_READ_ONLY
            : `Give it to the user that runs the server: chown -R USER ${folder} && chmod 700 ${folder}`,
        ),
      openness === undefined ? undefined : { state: "warn", ...splitAdvice(openness.replace(/^t/, "T")) },
      own !== found.uid &&
        warning(
          `${folder} belongs to user ${found.uid}, and this command runs as user ${own}.`,
          `Run this and all commands as the server's user, or give it the folder: chown -R ${own} ${folder}`,
        ),
    ],
    folder,
  );
});

const files = check("data-files", "Files in it", async (folder) => {
  const { uid: owner } = await stat(folder);
  const foreign: string[] = [];
  const open: string[] = [];
  const closed: string[] = [];
  for (const name of (await readdir(folder)).filter((one) => OWN_FILE.test(one))) {
    const one = await stat(join(folder, name)).catch(() => undefined);
    if (one === undefined) continue;
    const { uid, mode } = one;
    if (uid !== owner) foreign.push(name);
    // A folder in a file's place is told by the check that reads the file; closed as a file is, nobody could enter it.
    if (process.platform === "win32" || one.isDirectory()) continue;
    if ((mode & 0o077) !== 0) open.push(name);
    if ((mode & 0o600) !== 0o600) closed.push(name);
  }
  const pathsOf = (names: readonly string[]) => names.map((name) => join(folder, name)).join(" ");
  return orOk(
    [
      closed.length > 0 &&
        failure(
          `${closed.join(", ")}: not even its owner may read and write it.`,
          `Open them to the server: chmod 600 ${pathsOf(closed)}`,
        ),
      foreign.length > 0 &&
        failure(
          `${foreign.join(", ")}: made by another user than the folder's, so the server may not write there.`,
          `Give them back: chown -R ${owner} ${folder}`,
        ),
      open.length === 0
        ? undefined
        : {
            ...failure(`Others on this machine may read ${open.join(", ")}.`, `Close them: chmod 600 ${pathsOf(open)}`),
            state: open.includes(SECRET_FILE) ? "fail" : "warn",
          },
    ],
    "for their owner alone",
  );
});

const fileSystem = check("file-system", "File system", async (folder, installation) => {
  const { type } = await statfs(folder);
  const todo = `Stop the server, move ${folder} to a disk of this machine, and set LINEUP_DATA_DIR to where it is then.`;
  const forgetful = FORGETFUL.get(type);
  const elsewhere = ELSEWHERE.get(type);
  if (!holdsStore(installation)) return ok("the store is in PostgreSQL");
  if (forgetful !== undefined)
    return failure(
      `${folder} is on a ${forgetful}, which is in memory: a restart of the machine loses all data.`,
      todo,
    );
  if (elsewhere !== undefined)
    return failure(
      `${folder} is on a network or user file system (${elsewhere}), where SQLite's locks often do not hold.`,
      todo,
    );
  return ok("a disk of this machine");
});

const space = check("disk-space", "Disk space", async (folder) => {
  const { bavail, bsize, files: inodes, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const sizes = await Promise.all(
    ["", "-wal"].map(async (side) => (await stat(join(folder, STORE_FILE + side)).catch(() => undefined))?.size ?? 0),
  );
  const store = sizes.reduce((sum, size) => sum + size, 0);
  const mb = (bytes: number) => `${Math.round(bytes / 1_000_000).toLocaleString("en")} MB`;
  const what = `${mb(free)} are free on the disk of ${folder}`;
  const todo = `Free space there, or move the folder to a larger disk; "du -xh ${folder} | sort -h" shows what is large, such as old lineup.db.before-… copies.`;
  const short = ROOM_MIN_BYTES + store;
  return orOk(
    [
      free < ROOM_MIN_BYTES / 2
        ? failure(`Only ${what}: soon nothing can be written.`, todo)
        : free < short &&
          warning(`Only ${what}; an upgrade or a restore copies the store and needs ${mb(short)}.`, todo),
      inodes > 0 &&
        ffree < INODES_MIN &&
        failure(
          `Only ${ffree} more files can be made on the disk of ${folder}, though it has room.`,
          "Remove small files that nobody needs there (df -i shows which disk), or make the file system anew with more inodes.",
        ),
    ],
    `${what}; the store takes ${mb(store)}`,
  );
});

const leftovers = check("leftovers", "Interrupted work", async (folder, { isHeld }) => {
  const names = (await readdir(folder)).filter((name) => /^(restore|move)-in-progress$|\.unfinished/.test(name));
  if (names.length === 0) return ok("none");
  if (isHeld) return ok("a restore, or a copy, may be under way");
  const paths = names.map((name) => join(folder, name)).join(" ");
  return warning(
    `${names.join(", ")} was left by work that was interrupted.`,
    `If no restore or move runs, do it again, or remove what is left: rm -r ${paths}`,
  );
});

const openFiles = makeCheck("open-files", "Open files", async () => {
  const limits = existsSync(OWN_LIMITS) ? readBounded(OWN_LIMITS, SMALL_FILE_MAX_BYTES).toString() : "";
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit >= OPEN_FILES_MIN) return ok(`up to ${Number.isFinite(limit) ? limit : "as many as are needed"}`);
  const found = `A process here may open ${limit} files, and every connection is one.`;
  return warning(
    found,
    'Raise it for the server: LimitNOFILE=65536 in its systemd unit, or "ulimit -n 65536" before it starts.',
  );
});

export const FOLDER_SUBJECT: Subject = {
  title: "Folder and disk",
  checks: [folderItself, files, fileSystem, space, openFiles, leftovers],
};
