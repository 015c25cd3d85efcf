/** Which records a store lists as erased, read from a store that is about to be replaced: it may be older than the list, or damaged. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { STORE_FILE } from "./data-files.ts";
import { type PostgresAddress, readPostgresAtOnce } from "./postgres-snapshot.ts";

export interface ErasedRecord {
  readonly orgId: string;
  readonly recordId: string;
}

const SELECT = "SELECT org_id, record_id FROM erasures ORDER BY org_id, record_id";
const NO_TABLE = /no such table|does not exist/;

/** Undefined where there is no store. Throws where it cannot be read. */
export async function readErasedIn(
  dataDir: string,
  address: PostgresAddress | undefined,
): Promise<ErasedRecord[] | undefined> {
  const file = join(dataDir, STORE_FILE);
  if (address === undefined && !existsSync(file)) return undefined;
  try {
    const rows =
      address === undefined
        ? selectErased(file)
        : await readPostgresAtOnce(address, (source) => source.ask(SELECT, []));
    return rows.map((row) => ({ orgId: String(row.org_id), recordId: String(row.record_id) }));
  } catch (error) {
    if (error instanceof Error && NO_TABLE.test(error.message)) return undefined;
    throw error;
  }
}

function selectErased(file: string): Readonly<Record<string, unknown>>[] {
  const connection = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    return connection.prepare<[], Readonly<Record<string, unknown>>>(SELECT).all();
  } finally {
    connection.close();
  }
}
