/** One way to the store, wherever it is kept: PostgreSQL where an address is given, else the embedded store in the data folder. */

import { AuditSealer } from "./audit-chain.ts";
import type { BrokenChain, Converted } from "./audit-conversion.ts";
import { SERVER_ORIGIN } from "./audit-entry.ts";
import { AuditMarks } from "./audit-marks.ts";
import { requireStoreIn } from "./data-folder.ts";
import type { PostgresOptions } from "./postgres.ts";
import { requireSecret } from "./secret-file.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { Opened } from "./store.ts";
import { codeOf, StoreError } from "./store-error.ts";

export interface StoreSettings {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
  readonly databasePoolSize: number;
  /** What seals the audit log; required with PostgreSQL. Beside an embedded store a file in the data folder does where it is unset. */
  readonly secret: string | undefined;
}

export interface OpenStoreOptions extends Pick<PostgresOptions, "lock" | "onLost" | "onBack" | "onIdleFault"> {
  /** How far the audit log goes cannot be kept in the data folder; nothing else suffers from it. */
  readonly onMarksFault?: ((error: unknown) => void) | undefined;
}

export interface OpenedStore extends Opened {
  /** Of a server's store: what became of audit logs that are older than erasing. */
  readonly converted?: Converted;
}

export async function openStore(settings: StoreSettings, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  const { dataDir, databaseUrl, databaseDirectUrl, databasePoolSize } = settings;
  const { onMarksFault } = options;
  const isServer = options.lock !== undefined;
  const makeSealer = () => new AuditSealer(requireSecret(settings));
  // Before anything is migrated.
  if (isServer && databaseUrl !== undefined) makeSealer();
  const opened =
    databaseUrl === undefined
      ? await openSqliteStore(dataDir, { isServer, secret: settings.secret, onMarksFault })
      : await (await loadPostgres()).openPostgresStore({
          ...options,
          url: databaseUrl,
          directUrl: databaseDirectUrl,
          poolSize: databasePoolSize,
          makeSealer,
          marks: new AuditMarks({
            dataDir,
            store: "postgres",
            makesFolder: isServer,
            onFault: onMarksFault,
          }),
        });
  if (!isServer) return opened;
  try {
    return { ...opened, converted: await opened.store.convertChains(SERVER_ORIGIN) };
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

/** For those who are told that the file of what was seen of the audit log cannot be read or written. */
export function explainMarksFault(error: unknown): string {
  if (error instanceof StoreError) return `${error.message} It was set aside if that was possible.`;
  if (codeOf(error) === "ENOENT") {
    return "the folder of LINEUP_DATA_DIR is not there, so this machine does not keep how far the audit log goes; set it to the server's folder, or make one";
  }
  return "how far the audit log goes cannot be kept in LINEUP_DATA_DIR; make the folder writable, or free space on its disk";
}

/** For those who are told that an audit log could not be made ready for erasing. */
export function explainBrokenChain({ chainId, seq }: BrokenChain): string {
  return (
    `the audit log of ${chainId} is not whole at entry ${seq}, so nobody can be erased there; ` +
    '"lineup audit verify" says what is wrong with it, and docs/people-and-audit.md what to do'
  );
}

/** Anyone who has an embedded store need not wait for what speaks to PostgreSQL. */
function loadPostgres() {
  return import("./postgres.ts");
}

/** So that a mistyped folder or address does not become a new, empty store. */
export async function requireStore(settings: StoreSettings): Promise<void> {
  const { databaseUrl, databaseDirectUrl } = settings;
  if (databaseUrl === undefined) return requireStoreIn(settings.dataDir);
  const { findPostgresStep } = await loadPostgres();
  const step = await findPostgresStep({ url: databaseUrl, directUrl: databaseDirectUrl });
  if (step > 0) return;
  throw new StoreError(
    "The database of LINEUP_DATABASE_URL holds no Lineup store. Correct the address, " +
      'or make a store there with "lineup org create" or "lineup serve".',
  );
}
