/**
 * Where blocks are kept. The queries are the same wherever that is: a table in PostgreSQL beside the others, or, beside an embedded
 * store, a file of its own, so that backups stay small and the log never waits for the store's writer nor makes anybody wait.
 */
import type { Kysely } from "kysely";
import { KeptRows } from "../store/kept-rows.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Database } from "../store/schema.ts";
import type { BlockRow } from "./open-block.ts";

export type BlockTables = Pick<Database, "request_blocks">;

export interface BlockStore {
  /** The work is a single statement. */
  write<T>(work: (db: Kysely<BlockTables>) => Promise<T>): Promise<T>;
  /** What the work reads of the organization is of one moment, whatever is written meanwhile. */
  readAtOnce<T>(orgId: string, work: (org: OrgStore) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export class BlockWriter {
  readonly #blocks: BlockStore;
  readonly #insert = new KeptRows<BlockTables, BlockRow>((db, rows) =>
    db
      .insertInto("request_blocks")
      .values(rows)
      // A block that was written before has grown.
      .onConflict((conflict) =>
        conflict.columns(["org_id", "id"]).doUpdateSet((eb) => ({
          first_id: eb.ref("excluded.first_id"),
          last_id: eb.ref("excluded.last_id"),
          requests: eb.ref("excluded.requests"),
          key_marks: eb.ref("excluded.key_marks"),
          kind_marks: eb.ref("excluded.kind_marks"),
          body: eb.ref("excluded.body"),
        })),
      ),
  );

  constructor(blocks: BlockStore) {
    this.#blocks = blocks;
  }

  async write(rows: readonly BlockRow[]): Promise<void> {
    await this.#blocks.write((db) => this.#insert.run(db, rows));
  }
}
