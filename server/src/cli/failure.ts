/** What becomes of an error that ends a command: a message a person can act on, and an exit code. */

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** A reason why a command did not do what was asked, in words for the one who typed it. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CommandError";
  }
}

/** A command line that was not understood: nothing was done, and nothing opened. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Reads what was typed; what the reader refuses in words for a person was not understood. */
export function understand<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isReadable(error) ? new UsageError(error.message) : error;
  }
}

/** Errors whose message is written for the operator. By name, so that telling one needs none of the modules loaded. */
const READABLE = new Set([
  "CommandError",
  "UsageError",
  "ConfigError",
  "StoreError",
  "AccessError",
  "ActionError",
  "WebhookError",
  "ImportFaults",
  "UnfitFile",
  "JournalUnreadableError",
  "RedisUnreachableError",
]);

/** Whether its message can be shown as it is. */
export function isReadable(error: unknown): error is Error {
  return error instanceof Error && READABLE.has(error.name);
}

export function explainFailure(error: unknown): string {
  if (isReadable(error)) return error.message;
  if (!(error instanceof Error)) return `Unexpected failure: ${String(error)}`;
  const code = "code" in error ? String(error.code) : "";
  if (code.startsWith("SQLITE_BUSY")) {
    return "The store is busy: another process has been writing to it all along. Wait for it to end, then try again.";
  }
  if (code.startsWith("SQLITE_FULL") || code === "ENOSPC") return "The disk is full. Free some space, then try again.";
  if (["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENXIO"].includes(code)) {
    return `${error.message}. Check the path, or choose another.`;
  }
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") {
    return `${error.message}. Run the command as a user who may do that.`;
  }
  return `This should not have happened; please report it with the lines below.\n${error.stack ?? error.message}`;
}
