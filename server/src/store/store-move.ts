/**
 * Moves a store from one engine to the other: a copy that is compared with what it was made from, row by row, before anybody can see it.
 *
 * What always holds: the store that is moved is only ever read, while no server runs on it; of the embedded one not even the file is opened,
 * but a copy. The target gets all of it at once, or nothing: so a move that failed can be run again. A target that holds the same
 * store already is left as it is, and one that holds another is refused.
 */
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  foldIntoOneFile,
  removeSideFiles,
  stageArchive,
  syncToDisk,
  withArchive,
  workInFolder,
  writeArchive,
} from "./archive-file.ts";
import { listDifferences, type OnProgress, type RowSource, readStore, type StoreSums } from "./copy-rows.ts";
import { requireStoreIn, STORE_FILE } from "./data-folder.ts";
import { type Filled, fillPostgres } from "./postgres-fill.ts";
import { type PostgresAddress, readPostgresAtOnce } from "./postgres-snapshot.ts";
import { makePrivateFile } from "./private-files.ts";
import { StoreError } from "./store-error.ts";

const WORK_FOLDER = "move-in-progress";

export interface MoveOptions {
  readonly onProgress?: OnProgress | undefined;
  /**
   * What goes along with the store, for the keys that it has. Done while neither end is served, before the target can be seen. What is
   * put into the folder is gone when the move has ended.
   */
  moveAlong(keyIds: readonly string[], workFolder: string): Promise<void>;
}

export type Moved = Pick<Filled, "sums" | "wasThere">;

export async function moveToPostgres(dataDir: string, to: PostgresAddress, options: MoveOptions): Promise<Moved> {
  requireStoreIn(dataDir);
  return workInFolder(dataDir, WORK_FOLDER, async (work) => {
    const { file } = await stageArchive(join(dataDir, STORE_FILE), join(work, "archive"));
    return withArchive(file, async (archive) => {
      const keyIds = await listKeyIds(archive);
      return fillPostgres(to, archive, {
        occupied: "refuse",
        onProgress: options.onProgress,
        beforeCommit: () => options.moveAlong(keyIds, work),
      });
    });
  });
}

export async function moveToFolder(from: PostgresAddress, folder: string, options: MoveOptions): Promise<Moved> {
  const copy = async (source: RowSource, work: string): Promise<Moved> => {
    const keyIds = await listKeyIds(source);
    const present = join(folder, STORE_FILE);
    const same = await findSameStore(source, present, join(work, "present"));
    if (same !== undefined) {
      await options.moveAlong(keyIds, work);
      return { sums: same, wasThere: true };
    }
    const made = join(work, STORE_FILE);
    makePrivateFile(made);
    const sums = await writeArchive(source, made, options.onProgress);
    await options.moveAlong(keyIds, work);
    // Where the connection was lost meanwhile, so was the place that it held, and a server may be writing there already.
    await source.ask("SELECT 1", []);
    putInPlace(made, present);
    return { sums, wasThere: false };
  };
  return workInFolder(folder, WORK_FOLDER, (work) =>
    readPostgresAtOnce(from, (source) => copy(source, work), { alone: true }),
  );
}

/** Undefined where there is room for one: where there is none, or one without any organization. */
async function findSameStore(source: RowSource, present: string, work: string): Promise<StoreSums | undefined> {
  if (!existsSync(present)) return undefined;
  const { file } = await stageArchive(present, work);
  return withArchive(file, async (rows) => {
    if ((await rows.ask("SELECT id FROM organizations LIMIT 1", [])).length === 0) return undefined;
    const sums = await readStore(source);
    if (listDifferences(sums, await readStore(rows)).length === 0) return sums;
    throw new StoreError(
      `${present} is another store. Nothing was changed. Name another folder, or move that file and the -wal beside it away.`,
    );
  });
}

/** Nothing is lost with an empty store that was there; its journal would be taken for the new one's. */
function putInPlace(made: string, present: string): void {
  if (existsSync(present)) foldIntoOneFile(present);
  removeSideFiles(present);
  renameSync(made, present);
  syncToDisk(dirname(present));
}

async function listKeyIds(rows: RowSource): Promise<string[]> {
  return (await rows.ask("SELECT id FROM api_keys ORDER BY id", [])).map((row) => String(row.id));
}
