/**
 * Removes what is older than it is to be kept, and what belonged to organizations that are gone, however they were deleted: a
 * little at a time, with pauses, so that nobody waits for it. Several servers on one database may do so at once; what one has
 * removed the other does not find. What fails is tried again the next time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS } from "@lineup/api/tiers";
import { type SelectQueryBuilder, sql } from "kysely";
import { ANSWER_KEPT_MS } from "../store/event-schema.ts";
import type { Store } from "../store/store.ts";
import { HOUR_MS } from "./key-usage.ts";
import type { BlockStore, BlockTables } from "./request-block.ts";
import { firstIdAt, PAST_ALL_IDS } from "./request-record.ts";

export const USAGE_KEPT_DAYS = 400;
/** On the embedded store the process that serves also removes: a step takes some milliseconds. */
const BLOCKS_A_STEP = 25;
const ROWS_A_STEP = 200;
/** What is left after so many steps is removed the next time. */
const STEPS_MAX = 400;
const PAUSE_MS = 20;
const ORGANIZATIONS_A_LOOK = 500;

/** Of which rows are removed by their age: the columns that name a row, and the one that says how old it is. */
const AGED_TABLES = {
  key_usage: { key: ["org_id", "key_id", "hour", "endpoint", "status"], age: "hour" },
  idempotent_writes: { key: ["org_id", "key_id", "idempotency_key"], age: "created_at" },
} as const;

export interface PruningOptions {
  readonly store: Store;
  readonly blocks: BlockStore | undefined;
  /** 0 where requests are not kept. */
  readonly keptDays: number;
}

export class RequestPruner {
  readonly #options: PruningOptions;
  /** Of organizations and keys, when it was last looked whether any are gone, and how often since. */
  #revision: number | undefined;
  #looks = 0;
  #isStopped = false;

  constructor(options: PruningOptions) {
    this.#options = options;
  }

  /** What is under way ends with its present step. */
  stop(): void {
    this.#isStopped = true;
  }

  async prune(now: number): Promise<void> {
    const { blocks, keptDays } = this.#options;
    // One that is as old as they are kept counts no more.
    await this.#removeOldRows("idempotent_writes", now - ANSWER_KEPT_MS + 1);
    if (blocks !== undefined) {
      const before = keptDays === 0 ? PAST_ALL_IDS : firstIdAt(now - keptDays * DAY_MS);
      await this.#inSteps(() => removeSome(blocks, (all) => all.where("last_id", "<", before).orderBy("last_id")));
      await this.#removeBlocksOfTheGone(blocks);
    }
    await this.#removeOldRows("key_usage", Math.floor((now - USAGE_KEPT_DAYS * DAY_MS) / HOUR_MS));
  }

  /** An organization that goes cannot take its requests along, where those lie in a file of their own. */
  async #removeBlocksOfTheGone(blocks: BlockStore): Promise<void> {
    const revision = await this.#options.store.accessRevision();
    if (revision !== this.#revision) this.#looks = 0;
    // The second look finds what was on its way into the log at the first.
    if (this.#looks >= 2) return;
    const listed = await blocks.write((db) => db.selectFrom("request_blocks").select("org_id").distinct().execute());
    for (let from = 0; from < listed.length; from += ORGANIZATIONS_A_LOOK) {
      const orgIds = listed.slice(from, from + ORGANIZATIONS_A_LOOK).map(({ org_id }) => org_id);
      const query = this.#options.store.operator.selectFrom("organizations").select("id").where("id", "in", orgIds);
      const there = new Set((await query.execute()).map(({ id }) => id));
      for (const orgId of orgIds) {
        if (there.has(orgId)) continue;
        const step = () => removeSome(blocks, (all) => all.where("org_id", "=", orgId));
        await this.#inSteps(step, Number.POSITIVE_INFINITY);
      }
    }
    this.#revision = revision;
    this.#looks++;
  }

  async #removeOldRows(table: keyof typeof AGED_TABLES, before: number): Promise<void> {
    const { store } = this.#options;
    const { key, age } = AGED_TABLES[table];
    const isOld = sql<boolean>`${sql.ref(age)} < ${before}`;
    // The tables are alike in what is asked of them here, which a union of tables hides from Kysely.
    const one = store.operator
      .selectFrom(table as "key_usage")
      .select("org_id")
      .where(isOld)
      .limit(1);
    if ((await one.executeTakeFirst()) === undefined) return;
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const some = sql`select ${columns} from ${sql.table(table)} where ${isOld} order by ${sql.ref(age)} limit ${ROWS_A_STEP}`;
    await this.#inSteps(() =>
      store.writeUse(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom(table as "key_usage")
          .where(sql<boolean>`(${columns}) in (${some})`)
          .executeTakeFirst();
        return Number(numDeletedRows) === ROWS_A_STEP;
      }),
    );
  }

  /** For as long as a step says that there is more. */
  async #inSteps(step: () => Promise<boolean>, stepsMax = STEPS_MAX): Promise<void> {
    for (let steps = 1; !this.#isStopped && (await step()) && steps < stepsMax; steps++) await sleep(PAUSE_MS);
  }
}

type BlockKeys = SelectQueryBuilder<BlockTables, "request_blocks", { org_id: string; id: string }>;

/** A step's worth of the blocks that are chosen. Returns whether there may be more. */
function removeSome(blocks: BlockStore, choose: (all: BlockKeys) => BlockKeys): Promise<boolean> {
  return blocks.write(async (db) => {
    const some = choose(db.selectFrom("request_blocks").select(["org_id", "id"])).limit(BLOCKS_A_STEP);
    const { numDeletedRows } = await db
      .deleteFrom("request_blocks")
      .where(({ eb, refTuple }) => eb(refTuple("org_id", "id"), "in", some.$asTuple("org_id", "id")))
      .executeTakeFirst();
    return Number(numDeletedRows) === BLOCKS_A_STEP;
  });
}
