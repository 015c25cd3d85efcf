/**
 * What keeps a server's memory small: less room for new objects than V8 would take, and one arena to allocate from instead of one for each thread. Both are
 * read when a process begins, so they have to be given before that (docs/decisions/0020).
 */

/** In MiB, of each of the three semi-spaces. */
export const SERVE_FLAGS = ["--max-semi-space-size=8"];

/** Those that Node was not given by its command line or its environment. A size that the operator has chosen stays. */
export function missingFlags(execArgv, nodeOptions = "") {
  // V8 takes both spellings for the same.
  const given = [...execArgv, nodeOptions].join(" ").replaceAll("_", "-");
  return given.includes("semi-space-size") ? [] : SERVE_FLAGS;
}

export function serveEnvironment(environment) {
  return { MALLOC_ARENA_MAX: "1", ...environment };
}
