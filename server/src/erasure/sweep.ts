/**
 * What is left to do once a person was erased: the request log, the hashes of older entries of the audit log, and free pages. All of it can
 * be done again and again. Which erasures wait for it is in the store, so it is finished by whichever process comes next: the
 * command or the action that erased, else a server within a minute.
 *
 * A server holds requests in memory for some minutes and writes them again; each server takes values out of what it holds. Until that
 * must have happened everywhere, the log is looked through again.
 */

import { redactBlocks } from "../request-log/erased-requests.ts";
import { RepeatedWork } from "../request-log/repeated-work.ts";
import type { BlockStore } from "../request-log/request-block.ts";
import { firstIdAt } from "../request-log/request-record.ts";
import { BLOCK_SPAN_MAX_MS, type RequestRecorder } from "../request-log/request-recorder.ts";
import type { Store } from "../store/store.ts";
import { erasedTexts } from "./sought-texts.ts";

/** After so long no server holds a request from before in memory. */
const SETTLED_MS = BLOCK_SPAN_MAX_MS + 3 * 60_000;
const FIRST_LOOK_MS = 3_000;
const LOOK_EVERY_MS = 60_000;
const ERASURES_A_LOOK = 100;

export interface SweepTools {
  readonly store: Store;
  /** Undefined where no requests are kept. */
  readonly blocks: BlockStore | undefined;
  /** Of a server. */
  readonly recorder?: Pick<RequestRecorder, "redact" | "writeRequests"> | undefined;
}

/** Returns how many erasures it was for. */
export async function sweepErasures(tools: SweepTools, now = Date.now()): Promise<number> {
  const { store, blocks } = tools;
  const waiting = await store.operator
    .selectFrom("erasures")
    .selectAll()
    .where("sought", "is not", null)
    .orderBy(({ eb }) => eb("swept_at", "is not", null))
    .orderBy("at")
    .limit(ERASURES_A_LOOK)
    .execute();
  if (waiting.length === 0) return 0;
  let rewritten = 0;
  for (const [orgId, erasures] of Map.groupBy(waiting, ({ org_id }) => org_id)) {
    const isFirst = erasures.some(({ swept_at }) => swept_at === null);
    const hashes = new Set(erasures.flatMap(({ sought }) => JSON.parse(sought ?? "[]") as string[]));
    const texts = erasedTexts(store, orgId, hashes);
    tools.recorder?.redact(orgId, texts);
    // What is being written at this moment may be from before.
    await tools.recorder?.writeRequests();
    const since = isFirst ? "" : firstIdAt((erasures[0]?.at ?? 0) - SETTLED_MS);
    if (blocks !== undefined) rewritten += await redactBlocks(blocks, orgId, texts, since);
  }
  const first = waiting.filter(({ swept_at }) => swept_at === null);
  if (first.length > 0 || rewritten > 0) {
    await store.sweep(new Set(first.map(({ org_id }) => org_id)));
    await blocks?.sweepFreePages();
  }
  await store.writeUse(async (db) => {
    for (const { org_id, record_id, at, sought } of waiting) {
      await db
        .updateTable("erasures")
        .set({ swept_at: now, sought: now - at > SETTLED_MS ? null : sought })
        .where("org_id", "=", org_id)
        .where("record_id", "=", record_id)
        .execute();
    }
  });
  return waiting.length;
}

export interface SweeperOptions extends SweepTools {
  now(): number;
  onFault(error: unknown): void;
  onRecovery(): void;
}

/** Of a server: sweeps what others have erased, or an earlier process could not finish. */
export function startSweeping(options: SweeperOptions): RepeatedWork {
  let pauseMs = FIRST_LOOK_MS;
  return new RepeatedWork({
    work: async () => {
      pauseMs = LOOK_EVERY_MS;
      await sweepErasures(options, options.now());
    },
    pauseMs: () => pauseMs,
    onFault: options.onFault,
    onRecovery: options.onRecovery,
  });
}
