/**
 * Opens the embedded store. A store is opened whole or not at all: the file must be a Lineup store, undamaged, writable
 * and not newer than this program, and its schema is brought up to date after a snapshot of the file was taken. Every
 * refusal is a `StoreError` that says what to do.
 */
import { chmodSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { CompiledQuery, type Kysely } from "kysely";
import { AuditSealer } from "./audit-chain.ts";
import { AuditMarks } from "./audit-marks.ts";
import { refuseLostStore, refuseMovedStore, STORE_FILE } from "./data-folder.ts";
import { ask, send } from "./direct-handle.ts";
import { makeFolder, makePrivateFile } from "./private-files.ts";
import type { Database } from "./schema.ts";
import { requireSecret } from "./secret-file.ts";
import { handleOn, PreparedConnection, SqliteTransactions, sqliteChains, vacuumFile } from "./sqlite-driver.ts";
import {
  APPLICATION_ID,
  MIGRATIONS,
  type Migration,
  migrate,
  refuseNewer,
  START_PATIENCE_MS,
} from "./sqlite-migrations.ts";
import { SqliteRevisions, untilSeen } from "./sqlite-revisions.ts";
import { type FoundKey, type Opened, Store, type StoreEngine } from "./store.ts";
import {
  codeOf,
  damaged,
  explainFault,
  isBusy,
  OrganizationGone,
  ofAnotherProgram,
  StoreError,
} from "./store-error.ts";
import { WriteGroups } from "./write-groups.ts";

/** Up to here every page, row and index is checked at each opening, within a few tenths of a second. */
const CHECKED_WHOLLY_MAX_BYTES = 16 * 1024 * 1024;
/** Up to here a server checks every page and row, within a second or so; beyond, `lineup backup` checks its copy. */
const CHECKED_QUICKLY_MAX_BYTES = 256 * 1024 * 1024;
const READ_PATIENCE_MS = 50;
/** Enough for the upper levels of a million rows. What lies in the system's own cache is nearly as near, and memory is for answers. */
const READER_CACHE_KIB = 12 * 1024;
const JOURNAL_KEPT_BYTES = 16 * 1024 * 1024;

const FIND_ORGANIZATION = CompiledQuery.raw("SELECT id FROM organizations WHERE id = ?");
const FIND_KEY = CompiledQuery.raw(
  "SELECT api_keys.id, api_keys.name, permissions, expires_at, revoked_at, org_id, organizations.name AS org_name, tier " +
    "FROM api_keys JOIN organizations ON organizations.id = org_id WHERE hash = ?",
) as CompiledQuery<FoundKey>;
const RAISE_REVISION = CompiledQuery.raw("UPDATE organizations SET revision = revision + 1 WHERE id = ?");

export interface OpenOptions {
  /**
   * Whether it is the store of a server. A server looks through a large one first, a command not each time. And a server knows of its own
   * writes at once; one that is none waits after each until the server that may be running knows of it (`untilSeen`).
   */
  readonly isServer?: boolean;
  /** What the audit log is sealed with; unless told, the secret in the data folder. */
  readonly secret?: string | undefined;
  /** How far the audit log goes cannot be kept in the folder. */
  readonly onMarksFault?: ((error: unknown) => void) | undefined;
  /** The steps of the schema, for tests of versions to come. */
  readonly migrations?: readonly Migration[];
}

/** Waits for a while for others who open, migrate or close the store; what SQLite says becomes what can be done about it. */
export async function openSqliteStore(dataDir: string, options: OpenOptions = {}): Promise<Opened> {
  const file = join(dataDir, STORE_FILE);
  const deadline = performance.now() + START_PATIENCE_MS;
  for (;;) {
    try {
      return await openOnce(file, options);
    } catch (error) {
      // Where two processes could wait for each other for ever, SQLite refuses one of them at once.
      if (!isBusy(error) || performance.now() > deadline) throw explainFault(file, error);
      await sleep(20);
    }
  }
}

async function openOnce(file: string, options: OpenOptions): Promise<Opened> {
  const migrations = options.migrations ?? MIGRATIONS;
  refuseMovedStore(dirname(file));
  makeFolder(dirname(file));
  const writer = openConnection(file, migrations.length);
  const opened = [writer];
  try {
    checkIntegrity(writer, file, options.isServer === true);
    const migrated = await migrate(writer, file, migrations);
    const reader = openReader(file);
    opened.push(reader);
    const snapshots = openReader(file);
    opened.push(snapshots);
    // From here on nobody waits inside SQLite, where waiting holds up everybody: the driver does it between other work.
    writer.pragma("busy_timeout = 0");
    const makeSealer = () => new AuditSealer(requireSecret({ dataDir: dirname(file), secret: options.secret }));
    const marks = new AuditMarks({ dataDir: dirname(file), store: "sqlite", onFault: options.onMarksFault });
    const store = new Store(makeEngine({ writer, reader, snapshots }, migrations.length, options), makeSealer, marks);
    return { store, migrated };
  } catch (error) {
    for (const connection of opened.reverse()) connection.close();
    throw error;
  }
}

type Connections = Readonly<Record<"writer" | "reader" | "snapshots", SqliteConnection>>;

function makeEngine(
  { writer, reader, snapshots }: Connections,
  schemaVersion: number,
  { isServer = false }: Pick<OpenOptions, "isServer">,
): StoreEngine {
  const reads = handleOn<Database>(new PreparedConnection(reader));
  const readsOfOneState = new WriteGroups(new SqliteTransactions(snapshots, "BEGIN"));
  const revisions = new SqliteRevisions(reader);
  const groups = new WriteGroups(new SqliteTransactions(writer, "BEGIN IMMEDIATE"), {
    onEnd: () => revisions.noteOwnWrite(),
  });
  return {
    kind: "sqlite",
    revisions,
    readsOf: () => reads,
    readAtOnce: (_scope, work) => readsOfOneState.write("alone", (db) => work(db)),
    write: async (scope, mode, work) => {
      const result = await groups.write(mode, async (db, shared) => {
        if (scope !== "operator") await requireOrganization(db, scope.orgId);
        return work(db, shared);
      });
      if (!isServer) await untilSeen();
      return result;
    },
    // There is one writer at a time, whatever it writes.
    lockOrganization: requireOrganization,
    raiseRevision: async (db, orgId) => send(db, RAISE_REVISION, [orgId]),
    claimAccess: async () => {},
    sweepFreePages: () => vacuumFile(writer.name),
    ...sqliteChains,
    findKey: async (hash) => (await ask(reads, FIND_KEY, [hash]))[0],
    ping: () => {
      reader.prepare("SELECT count(*) FROM settings").get();
      const version = reader.pragma("user_version", { simple: true });
      if (version !== schemaVersion) throw new StoreError(`The schema is at step ${version}, not at ${schemaVersion}.`);
    },
    close: async () => {
      // The writer goes last: the one that does writes the journal into the file, and a reader may not.
      snapshots.close();
      reader.close();
      writer.close();
    },
  };
}

async function requireOrganization(db: Kysely<Database>, orgId: string): Promise<void> {
  if ((await ask(db, FIND_ORGANIZATION, [orgId])).length === 0) throw new OrganizationGone(orgId);
}

function openConnection(file: string, schemaVersion: number): SqliteConnection {
  refuseLostStore(file);
  makePrivateFile(file);
  const connection = new Sqlite(file, { timeout: START_PATIENCE_MS });
  try {
    // Nothing is changed before the file is known to be ours: not how it is written, nor who may read it.
    checkOwner(connection, file, schemaVersion);
    restrictToOwner(file);
    connection.pragma("journal_mode = WAL");
    connection.pragma("synchronous = FULL");
    // A long import makes the journal as long as itself; afterwards the disk has its space back.
    connection.pragma(`journal_size_limit = ${JOURNAL_KEPT_BYTES}`);
    connection.pragma("foreign_keys = ON");
    // What is deleted is overwritten: people's names do not stay behind in free pages.
    connection.pragma("secure_delete = ON");
    connection.pragma("trusted_schema = OFF");
    connection.pragma("cell_size_check = ON");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The file of another user who lets us write it is theirs to open to others. */
function restrictToOwner(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

function openReader(file: string): SqliteConnection {
  const connection = new Sqlite(file, { readonly: true, timeout: START_PATIENCE_MS });
  try {
    connection.pragma("cell_size_check = ON");
    connection.pragma(`cache_size = -${READER_CACHE_KIB}`);
    // The first read meets those who are making or closing the journal; later ones meet nobody for long.
    connection.prepare("SELECT count(*) FROM settings").get();
    connection.pragma(`busy_timeout = ${READ_PATIENCE_MS}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function checkOwner(connection: SqliteConnection, file: string, schemaVersion: number): void {
  // Read at one moment: another process may be making the store between two.
  const look = connection.transaction(() => ({
    isEmpty: connection.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0,
    applicationId: connection.pragma("application_id", { simple: true }),
    version: connection.pragma("user_version", { simple: true }) as number,
  }));
  const { isEmpty, applicationId, version } = look();
  if (!isEmpty && applicationId !== APPLICATION_ID) throw ofAnotherProgram(file);
  refuseNewer(file, version, schemaVersion);
}

function checkIntegrity(connection: SqliteConnection, file: string, isServer: boolean): void {
  const { size } = statSync(file);
  if (size > (isServer ? CHECKED_QUICKLY_MAX_BYTES : CHECKED_WHOLLY_MAX_BYTES)) return;
  const pragma = size <= CHECKED_WHOLLY_MAX_BYTES ? "integrity_check(3)" : "quick_check(3)";
  const found = (connection.pragma(pragma) as Record<string, string>[]).flatMap((row) => Object.values(row));
  if (found.length === 1 && found[0] === "ok") return;
  throw damaged(file, found.flatMap((text) => text.split("\n")).join("; "));
}
