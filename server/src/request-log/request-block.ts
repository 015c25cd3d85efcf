/**
 * A block of the log: up to some hundred requests of one organization in one row. The requests are a JSON array, compressed; beside it
 * stand the least and the greatest id in it, and the terms that a search may ask for, so that a block without them need not be read.
 *
 * The queries are the same wherever blocks are: a table in PostgreSQL beside the others, or, beside an embedded store, a file of its own,
 * so that backups stay small and the log never waits for the store's writer.
 */
import { promisify } from "node:util";
import { constants, deflate, inflateSync } from "node:zlib";
import { isIdOf } from "@lineup/api/ids";
import type { Kysely } from "kysely";
import type { RequestBlocksTable } from "../store/audit-tables.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Database } from "../store/schema.ts";
import type { Store } from "../store/store.ts";
import { firstIdAt, justAbove, PAST_ALL_IDS, type StoredRequest } from "./request-record.ts";

export type BlockTables = Pick<Database, "request_blocks">;
export type BlockRow = Readonly<Omit<RequestBlocksTable, "body">>;

export interface BlockStore {
  /** The work is a single statement. */
  write<T>(work: (db: Kysely<BlockTables>) => Promise<T>): Promise<T>;
  /** What the work reads of the organization is of one moment, whatever is written meanwhile. */
  readAtOnce<T>(orgId: string, work: (org: OrgStore) => Promise<T>): Promise<T>;
  /** Nothing of what was overwritten is left in a file of its own. */
  sweepFreePages(): Promise<void>;
  close(): Promise<void>;
}

/** Written for all organizations at once, read with the rights of one of them. */
export function postgresBlocks(store: Store): BlockStore {
  return {
    write: (work) => store.writeUse((db) => work(db as unknown as Kysely<BlockTables>)),
    readAtOnce: (orgId, work) => store.readOrgAtOnce(orgId, work),
    // It is with the store's other tables.
    sweepFreePages: async () => {},
    close: async () => {},
  };
}

export async function writeBlocks(blocks: BlockStore, rows: readonly BlockRow[]): Promise<void> {
  await blocks.write((db) =>
    db
      .insertInto("request_blocks")
      .values(rows)
      // A block that was written before has grown.
      .onConflict((conflict) =>
        conflict.columns(["org_id", "id"]).doUpdateSet((eb) => ({
          first_id: eb.ref("excluded.first_id"),
          last_id: eb.ref("excluded.last_id"),
          requests: eb.ref("excluded.requests"),
          terms: eb.ref("excluded.terms"),
          records: eb.ref("excluded.records"),
        })),
      )
      .execute(),
  );
}

const compress = promisify(deflate);

/** The block bears the id of its first request. What is added to the array meanwhile is not in the row. */
export async function toBlockRow(orgId: string, requests: readonly StoredRequest[]): Promise<BlockRow> {
  const id = requests[0]?.id ?? "";
  const terms = new Set<string>();
  let [firstId, lastId] = [id, id];
  for (const request of requests) {
    if (request.id < firstId) firstId = request.id;
    else if (request.id > lastId) lastId = request.id;
    for (const term of termsOf(request)) terms.add(term);
  }
  return {
    org_id: orgId,
    id,
    first_id: firstId,
    last_id: lastId,
    requests: requests.length,
    terms: ` ${[...terms].join(" ")} `,
    records: await compress(JSON.stringify(requests), { level: constants.Z_BEST_SPEED }),
  };
}

function termsOf({ keyId, method, status, code }: StoredRequest): string[] {
  const terms = [keyId, method, String(status), `${Math.floor(status / 100)}xx`];
  return code === null ? terms : [...terms, code];
}

/** Up to a millisecond of work, which to hand to another thread would make a search of many blocks wait for each. */
export function readBlock({ records, body }: Pick<RequestBlocksTable, "records" | "body">): StoredRequest[] {
  return records === null ? readOldBlock(body ?? "") : JSON.parse(inflateSync(records).toString());
}

export interface RequestFilters {
  readonly id?: string | undefined;
  readonly keyId?: string | undefined;
  /** A status such as 404, or a class of them such as 4xx. */
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly method?: string | undefined;
  /** Part of path or query, in any case. */
  readonly path?: string | undefined;
  /** Both inclusive, in milliseconds since the Unix epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface RequestSearch {
  /** Ids from here on, and up to but not including there. */
  readonly least: string;
  readonly below: string;
  /** Whether a block with these terms may hold what is looked for. */
  mayBeIn(terms: string): boolean;
  isMatch(request: StoredRequest): boolean;
}

/** `below` goes on from an earlier page. */
export function makeSearch(filters: RequestFilters, below: string = PAST_ALL_IDS): RequestSearch {
  const { id, keyId, status, code, method, from, to } = filters;
  // What is no id is looked for as well, and not found.
  const isId = id !== undefined && isIdOf("req", id);
  const starts = [from === undefined ? "" : firstIdAt(from), id === undefined ? "" : isId ? id : PAST_ALL_IDS];
  const ends = [below, to === undefined ? PAST_ALL_IDS : firstIdAt(to + 1), isId ? justAbove(id) : PAST_ALL_IDS];
  const [least = "", end = PAST_ALL_IDS] = [starts.toSorted().at(-1), ends.toSorted().at(0)];
  const wanted = [keyId, status, code, method].filter((term) => term !== undefined);
  const path = filters.path?.toLowerCase();
  return {
    least,
    below: end,
    // Blocks of the version before have no terms.
    mayBeIn: (terms) => terms === "" || wanted.every((term) => terms.includes(` ${term} `)),
    isMatch: (request) => {
      if (request.id < least || request.id >= end) return false;
      if (path !== undefined && !request.target.toLowerCase().includes(path)) return false;
      if (wanted.length === 0) return true;
      const terms = termsOf(request);
      return wanted.every((term) => terms.includes(term));
    },
  };
}

const OLD_ID_LENGTH = 30;
const OLD_FACTS = 9;

/**
 * Blocks were JSON in which each text stood once and a request was nine numbers, of which those that all requests shared stood once too.
 * None is left once requests are older than they are kept.
 */
function readOldBlock(body: string): StoredRequest[] {
  const { ids, words, facts } = JSON.parse(body) as {
    readonly ids: string;
    readonly words: readonly (string | null)[];
    readonly facts: readonly (number | readonly number[])[];
  };
  return Array.from({ length: ids.length / OLD_ID_LENGTH }, (_, index) => {
    const numberOf = (fact: number): number => {
      const column = facts.length > OLD_FACTS ? facts[index * OLD_FACTS + fact] : facts[fact];
      return (typeof column === "object" ? column[index] : column) ?? 0;
    };
    const textOf = (fact: number) => words[numberOf(fact)] ?? null;
    return {
      id: ids.slice(index * OLD_ID_LENGTH, (index + 1) * OLD_ID_LENGTH),
      keyId: textOf(0) ?? "",
      method: textOf(1) ?? "",
      target: textOf(2) ?? "",
      endpoint: textOf(3) ?? "",
      status: numberOf(4),
      code: textOf(5),
      durationUs: numberOf(6),
      address: textOf(7),
      userAgent: textOf(8),
    };
  });
}
