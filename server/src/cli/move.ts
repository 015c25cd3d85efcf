/** `lineup move`: the store, and what was counted, from one engine to the other. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { type Config, describeStore } from "../config.ts";
import { MARKS_FILE, setMarksAside } from "../store/audit-marks.ts";
import { readBounded, SMALL_FILE_MAX_BYTES } from "../store/bounded-file.ts";
import { forgetMoved, LIMITS_FILE, noteMoved } from "../store/data-folder.ts";
import { findAddress } from "../store/postgres-snapshot.ts";
import { SECRET_FILE } from "../store/secret-file.ts";
import { type Moved, type MoveOptions, moveToFolder, moveToPostgres } from "../store/store-move.ts";
import { addCommand, readConfigAloud } from "./command.ts";
import { type MovedCounts, moveCounts } from "./move-counts.ts";
import { CommandError, count, note, print, printJson, printTable, shellWord, UsageError, warn } from "./output.ts";
import { withProgress } from "./progress.ts";

interface MoveCommandOptions {
  readonly to?: string;
  readonly toFile?: string;
  readonly json?: boolean;
}

const POSTGRES_URL = /^postgres(ql)?:\/\/./;
const SHOWN_DIGITS = 12;

export function addTo(program: Command): void {
  const description =
    "Copy the store, keys, history and counted requests included, from the data folder to PostgreSQL or from PostgreSQL " +
    "to a folder, and compare every row; refused while a server runs at either end. The store that is copied stays as it is";
  addCommand(program, "move", description, [
    "npx lineup move --to-file /run/secrets/database-url",
    "npx lineup move --to postgres://lineup@db.example.com/lineup",
    "npx lineup move --to ./data",
  ])
    .option("--to <PLACE>", "the database to move to, as postgres://user@host:5432/database; or the folder to move to")
    .option("--to-file <FILE>", "a file that holds the address, so that no password stands in the shell's history")
    .option("--json", "print the numbers of rows and their sums as JSON")
    .action(move);
}

async function move(options: MoveCommandOptions): Promise<void> {
  const target = readTarget(options);
  const config = readConfigAloud();
  if (!POSTGRES_URL.test(target)) return moveOut(config, resolve(target), options);
  if (config.databaseUrl === undefined) return moveIn(config, target, options);
  throw new CommandError(
    "LINEUP_DATABASE_URL is set, and a move to PostgreSQL takes the store of the data folder. Unset it to move that one. " +
      'From one PostgreSQL to another, use "lineup backup" and "lineup restore".',
  );
}

async function moveIn(config: Config, url: string, options: MoveCommandOptions): Promise<void> {
  if (!URL.canParse(url)) {
    const hint = "cannot be read. Give it as postgres://user:password@host:5432/database.";
    if (options.toFile === undefined) throw new UsageError(`The address of --to ${hint}`);
    throw new CommandError(`The address of --to-file ${hint}`);
  }
  if (options.toFile === undefined && new URL(url).password !== "") {
    warn(
      "The password of --to may now stand in the shell's history. Use --to-file, which names a file that holds the address.",
    );
  }
  const setting = options.toFile === undefined ? "--to" : "--to-file";
  const { moved, counted } = await moveAloud(config, undefined, (along) =>
    moveToPostgres(config.dataDir, { url, setting }, along),
  );
  if (!moved.wasThere) await beginMarksAnew(config.dataDir);
  const to = describeStore({ databaseUrl: url, dataDir: config.dataDir });
  noteMoved(config.dataDir, to);
  report(options, {
    from: config.dataDir,
    to,
    moved,
    counted,
    next: [
      "Set LINEUP_DATABASE_URL to that address, or LINEUP_DATABASE_URL_FILE to a file that holds it, and start the server.",
      ...(config.secret === undefined ? [explainSecret(config.dataDir)] : []),
      `The store in ${config.dataDir} is as it was. From here on neither server nor command opens it.`,
    ],
  });
}

/** A folder that was restored into, and never served, has none. */
function explainSecret(dataDir: string): string {
  const file = join(dataDir, SECRET_FILE);
  return existsSync(file)
    ? `Set LINEUP_SECRET_FILE to ${file}, on every server: it has sealed the audit log.`
    : 'Set LINEUP_SECRET_FILE, on every server, to the file "secret" of the folder that this store was backed up from: it has sealed the audit log.';
}

async function moveOut(config: Config, folder: string, options: MoveCommandOptions): Promise<void> {
  const from = findAddress(config);
  if (from === undefined) {
    throw new CommandError(
      "To move to a folder, set LINEUP_DATABASE_URL to the database to move from. To move to a database, give its address: --to postgres://…",
    );
  }
  const { moved, counted } = await moveAloud(config, folder, (along) => moveToFolder(from, folder, along));
  if (!moved.wasThere) await beginMarksAnew(folder);
  forgetMoved(folder);
  report(options, {
    from: describeStore(config),
    to: folder,
    moved,
    counted,
    next: [
      `Unset LINEUP_DATABASE_URL, set LINEUP_DATA_DIR to ${shellWord(folder)}, and start the server.`,
      `Leave LINEUP_SECRET or LINEUP_SECRET_FILE set, or put the same secret into ${join(folder, SECRET_FILE)}: it has sealed the audit log.`,
      "The store in PostgreSQL is as it was. Start no server on it any more: what it wrote would not be in the folder.",
    ],
  });
}

/** Those of the folder are of the store that was there before. */
async function beginMarksAnew(dataDir: string): Promise<void> {
  if (await setMarksAside(dataDir))
    note(`What was seen of the audit log is set aside in ${dataDir} as ${MARKS_FILE}.set-aside, and begun anew.`);
}

/** The counted requests go along where they have a way to go; how many, is known afterwards. */
async function moveAloud(
  config: Config,
  folder: string | undefined,
  moveWith: (options: MoveOptions) => Promise<Moved>,
): Promise<Outcome> {
  let counted: MovedCounts | undefined;
  const moved = await withProgress("Moving the store", ({ update }) =>
    moveWith({
      onProgress: (done, total, phase) => update(done, total, `rows, ${phase}`),
      moveAlong: async (keyIds, workFolder) => {
        counted = await moveCounts(config, folder, keyIds, workFolder);
      },
    }),
  );
  return { moved, counted };
}

function describeCounts(counted: MovedCounts | undefined): string {
  if (counted !== undefined) {
    return `Took along what was counted: ${count(counted.requests, "request")} of ${count(counted.keys, "key")}.`;
  }
  return (
    `What was counted stays in ${LIMITS_FILE} of LINEUP_DATA_DIR, where servers without Redis count on. Keep that folder. ` +
    "Servers with Redis begin anew: to take it along, set LINEUP_REDIS_URL and run this again before they start."
  );
}

interface Outcome {
  readonly moved: Moved;
  readonly counted: MovedCounts | undefined;
}

interface Report extends Outcome {
  readonly from: string;
  readonly to: string;
  readonly next: readonly string[];
}

function report(options: MoveCommandOptions, { from, to, moved, counted, next }: Report): void {
  const { sums, wasThere } = moved;
  if (options.json) {
    printJson({ from, to, wasThere, tables: sums, counted: counted ?? null });
    return;
  }
  const rows = Object.entries(sums).map(([table, sum]) => ({ table, ...sum }));
  printTable(rows, [
    { title: "table", value: (row) => row.table },
    { title: "rows", value: (row) => row.rows.toLocaleString("en") },
    { title: "sha-256", value: (row) => `${row.sha256.slice(0, SHOWN_DIGITS)}…` },
  ]);
  const total = rows.reduce((sum, row) => sum + row.rows, 0);
  print();
  if (wasThere) print(`${to} holds this very store already: ${count(total, "row")}, the same at both ends.`);
  else print(`Moved ${count(total, "row")} from ${from} to ${to}; numbers and sums are the same at both ends.`);
  print(describeCounts(counted));
  for (const line of next) note(line);
}

function readTarget({ to, toFile }: MoveCommandOptions): string {
  if (to !== undefined && toFile !== undefined) throw new UsageError("Give --to or --to-file, not both.");
  if (toFile !== undefined) {
    const content = readBounded(toFile, SMALL_FILE_MAX_BYTES).toString("utf8").trim();
    if (POSTGRES_URL.test(content)) return content;
    throw new CommandError(
      `${toFile} does not hold an address. Write one into it, as postgres://user:password@host:5432/database.`,
    );
  }
  if (to === undefined) throw new UsageError("Say where to: --to postgres://…, --to-file FILE or --to FOLDER.");
  if (POSTGRES_URL.test(to) || !to.includes("://")) return to;
  throw new UsageError("--to takes an address that begins with postgres://, or a folder.");
}
