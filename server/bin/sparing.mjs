/**
 * What keeps a server's memory small: less room for new objects than V8 would take, and fewer places to allocate from than the system's
 * library would. Both fill with what is thrown away. And what keeps several workers from waiting in vain. All of it is read when a process begins, so it
 * has to be given before that.
 */

/** In MiB, of each of three such rooms. */
const SPARING_FLAGS = ["--max-semi-space-size=8"];

/**
 * Each worker looks by itself for what is no longer used. With help from V8's own threads, it would ask at every turn of its event loop whether
 * they are done; and they come after those who serve, so on a machine whose cores all have a worker that may take seconds.
 */
const WORKERS_FLAGS = ["--single-threaded-gc"];

export function sparingFlags(hasWorkers) {
  return hasWorkers ? [...SPARING_FLAGS, ...WORKERS_FLAGS] : SPARING_FLAGS;
}

/** The environment of a server, with what whoever starts it has set. Several workers would wait for each other at a single place. */
export function sparingEnvironment(environment, hasWorkers) {
  return hasWorkers ? { ...environment } : { MALLOC_ARENA_MAX: "1", ...environment };
}
