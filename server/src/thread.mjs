/**
 * Where every thread begins that `start-thread.ts` starts. A thread does not find by itself what was compiled before, so it is told where that
 * is, before anything else is loaded. This file is no TypeScript for the same reason: to read its first line as such, Node would load the
 * compiler that does it, which takes longer and more memory than all that most threads do.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

const { module, compiledIn } = workerData;
if (compiledIn !== undefined) enableCompileCache(compiledIn);
await import(module);
// A thread that is ended writes nothing down.
flushCompileCache();
