/**
 * What keeps a server's memory small: less room for new objects than V8 would take, and fewer places to allocate from than the system's
 * library would. Both fill with what is thrown away. They are read when a process begins, so they have to be given to it before that.
 */

/** In MiB, of each of three such rooms. */
export const SPARING_FLAGS = ["--max-semi-space-size=8"];

/** The environment of a server, with what whoever starts it has set. Several workers would wait for each other at a single place. */
export function sparingEnvironment(environment, hasWorkers) {
  return hasWorkers ? { ...environment } : { MALLOC_ARENA_MAX: "1", ...environment };
}
