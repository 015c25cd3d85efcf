/** Blocks in PostgreSQL: written for all organizations at once, read as whoever may see the rows of one. */
import type { Store } from "../store/store.ts";
import type { BlockStore } from "./block-store.ts";

export function postgresBlocks(store: Store): BlockStore {
  return {
    write: (work) => store.writeUse((db) => work(db as unknown as Parameters<typeof work>[0])),
    readAtOnce: (orgId, work) => store.readOrgAtOnce(orgId, work),
    close: async () => {},
  };
}
