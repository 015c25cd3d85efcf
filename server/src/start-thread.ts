/** Starts threads, each with a module of ours, which finds what it is given in `workerData.given`. */
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";

/** What `thread.mjs` is told. */
export interface ThreadData<Given> {
  readonly module: string;
  /** Where compiled code is kept; undefined where it is not. */
  readonly compiledIn: string | undefined;
  readonly given: Given;
}

export function startThread<Given>(module: URL, name: string, given: Given): Worker {
  const workerData: ThreadData<Given> = { module: module.href, compiledIn: findCompiled(), given };
  return new Worker(new URL("./thread.mjs", import.meta.url), { name, workerData });
}

/** The folder within it that is of this version of Node, the threads find by themselves. */
function findCompiled(): string | undefined {
  const folder = getCompileCacheDir();
  return folder === undefined ? undefined : dirname(folder);
}
