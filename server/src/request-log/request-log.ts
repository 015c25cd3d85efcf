/**
 * The log of requests as the rest of the server sees it: it records, is searched, and keeps itself tidy.
 *
 * It removes what is older than it is to be kept, and what belonged to organizations that are gone, however they were deleted: a
 * little at a time, with pauses, so that nobody waits for it. Several servers on one database may do so at once; what one has
 * removed the other does not find. What fails is tried again the next time.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, HOUR_MS } from "@lineup/api/tiers";
import { type SelectQueryBuilder, sql } from "kysely";
import { REQUESTS_FILE } from "../store/data-folder.ts";
import { ANSWER_RETENTION_MS } from "../store/event-tables.ts";
import { RepeatedWork } from "./repeated-work.ts";
import { type BlockStore, type BlockTables, postgresBlocks } from "./request-block.ts";
import { firstIdAt, PAST_ALL_IDS } from "./request-record.ts";
import { type RecorderOptions, RequestRecorder } from "./request-recorder.ts";
import { removeRequestFile, SqliteBlocks } from "./sqlite-blocks.ts";

const USAGE_RETENTION_DAYS = 400;
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

export interface PruningOptions extends Pick<RecorderOptions, "store" | "blocks"> {
  /** 0 where requests are not kept. */
  readonly retentionDays: number;
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
    const { blocks, retentionDays } = this.#options;
    // One that is as old as they are kept counts no more.
    await this.#removeOldRows("idempotent_writes", now - ANSWER_RETENTION_MS + 1);
    if (blocks !== undefined) {
      const before = retentionDays === 0 ? PAST_ALL_IDS : firstIdAt(now - retentionDays * DAY_MS);
      await this.#inSteps(() => removeSome(blocks, (all) => all.where("last_id", "<", before).orderBy("last_id")));
      await this.#removeBlocksOfTheGone(blocks);
    }
    await this.#removeOldRows("key_usage", Math.floor((now - USAGE_RETENTION_DAYS * DAY_MS) / HOUR_MS));
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
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const some = sql`select ${columns} from ${sql.table(table)} where ${isOld} order by ${sql.ref(age)} limit ${ROWS_A_STEP}`;
    await this.#inSteps(() =>
      store.writeUse(async (db) => {
        const { numDeletedRows } = await db
          // The tables are alike in what is asked of them here, which a union of tables hides from Kysely.
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

const FIRST_PRUNING_MS = 5_000;
const PRUNING_EVERY_MS = 60_000;
/** Servers that were started together do not prune together. */
const PRUNING_JITTER_MS = 10_000;
/** A log that cannot be written does not keep the server from stopping. */
const CLOSING_MAX_MS = 5_000;
/** Nor anybody from reading what is there. */
const CATCHING_UP_MAX_MS = 300;

export interface RequestLogOptions extends Omit<RecorderOptions, "blocks"> {
  readonly dataDir: string;
  /** 0: no requests are kept, and those that were are removed. */
  readonly retentionDays: number;
  /** The file was damaged and has been set aside; or something is left out for good. */
  onNotice(notice: string): void;
}

export class RequestLog {
  readonly recorder: RequestRecorder;
  /** Undefined where no requests are kept. */
  readonly blocks: BlockStore | undefined;
  readonly retentionDays: number;
  readonly #all: BlockStore | undefined;
  readonly #pruner: RequestPruner;
  readonly #pruning: RepeatedWork;
  readonly #onNotice: (notice: string) => void;

  constructor(options: RequestLogOptions) {
    const { store, retentionDays, now } = options;
    this.#onNotice = options.onNotice;
    this.#all = openBlocks(options);
    this.blocks = retentionDays > 0 ? this.#all : undefined;
    this.retentionDays = retentionDays;
    this.recorder = new RequestRecorder({ ...options, blocks: this.blocks });
    this.#pruner = new RequestPruner({ store, blocks: this.#all, retentionDays });
    let pauseMs = FIRST_PRUNING_MS;
    this.#pruning = new RepeatedWork({
      work: () => {
        pauseMs = PRUNING_EVERY_MS;
        return this.#pruner.prune(now());
      },
      pauseMs: () => pauseMs + Math.random() * PRUNING_JITTER_MS,
      onFault: (error) => options.onFault("what is pruned from the request log", error),
      onRecovery: () => options.onRecovery("what is pruned from the request log"),
    });
  }

  /** Before a search: what was recorded on this server is there, if it can be written soon. */
  async catchUp(): Promise<void> {
    await Promise.race([this.recorder.writeRequests(), sleep(CATCHING_UP_MAX_MS, undefined, { ref: false })]);
  }

  /** What was recorded is written, if that can be done soon; what is not is told. */
  async close(): Promise<void> {
    this.#pruner.stop();
    const [unwritten] = await Promise.race([
      Promise.all([this.recorder.close(), this.#pruning.stop()]),
      sleep(CLOSING_MAX_MS, [["the last requests of the request log"]] as const, { ref: false }),
    ]);
    if (unwritten.length > 0)
      this.#onNotice(`could not be written before the stop and is left out: ${unwritten.join("; ")}`);
    await this.#all?.close();
  }
}

function openBlocks({ store, dataDir, retentionDays, onNotice }: RequestLogOptions): BlockStore | undefined {
  if (store.kind === "postgres") return postgresBlocks(store);
  const file = join(dataDir, REQUESTS_FILE);
  if (retentionDays > 0) return new SqliteBlocks(file, onNotice);
  removeRequestFile(file);
  return undefined;
}
