/** What runs in a worker's thread; `worker-crew.ts` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadData } from "../start-thread.ts";
import type { WorkerStart } from "./worker-messages.ts";
import { serveInThread } from "./worker-thread.ts";

if (parentPort === null) throw new Error("This file runs in a worker thread, which lineup starts.");
await serveInThread(parentPort, (workerData as ThreadData<WorkerStart>).given);
