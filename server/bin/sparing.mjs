/**
 * What keeps a server's memory small: less room for new objects than V8 would take, nothing left lying about by the compiler, and fewer places to
 * allocate from than the system's library would have.  All of it is read when a process
 * begins, so it has to be given before that.
 */

/** In MiB, of each of three such rooms. */
const LESS_ROOM = "--max-semi-space-size=8";
/**
 * Whoever takes up compiled code also clears away what it was made with. Left to V8's other threads, which let those who serve go before them,
 * that of hundreds of functions lies about at once when a server is first loaded, and the system's library never gives the room for it back.
 */
const CLEARS_AT_ONCE = "--no-maglev-destroy-on-background";
/** V8 may come to lack a flag of its own, and Node does not start with one that it lacks. */
const NODE_MAJOR_KNOWN_MAX = 26;

/** An older Node starts the one that is known. */
export function sparingFlags() {
  if (Number(process.versions.node.split(".")[0]) > NODE_MAJOR_KNOWN_MAX) return [LESS_ROOM];
  return [LESS_ROOM, CLEARS_AT_ONCE];
}

/** Those of them that Node was not given, by its command line or its environment. Whoever has chosen a size, the least one included, keeps that. */
export function missingFlags(execArgv, nodeOptions = "") {
  // V8 takes both for the same.
  const given = [...execArgv, nodeOptions].join(" ").replaceAll("_", "-");
  return sparingFlags().filter((flag) => !given.includes(flag === LESS_ROOM ? "semi-space-size" : flag));
}

/** The environment of a server; what the operator has set stays. */
export function sparingEnvironment(environment) {
  return { MALLOC_ARENA_MAX: "1", ...environment };
}
