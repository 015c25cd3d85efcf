/**
 * Where a worker's thread begins; `worker-crew.ts` starts it. Most of a start is loading, and a thread does not find by itself
 * what was compiled before: so it is told where that is, before anything else is loaded.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { WorkerStart } from "./worker-messages.ts";

if (parentPort === null) throw new Error("This file runs in a worker thread, which lineup starts.");
const start = workerData as WorkerStart;
if (start.compiledIn !== undefined) enableCompileCache(start.compiledIn);
const { serveInThread } = await import("./worker-thread.ts");
await serveInThread(parentPort, start);
// A thread that is ended writes nothing down.
flushCompileCache();
