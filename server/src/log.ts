/**
 * Where the server's own log goes. Lines are gathered and written outside of the thread that serves, for a write of its own for every line
 * costs more than answering from memory does.
 *
 * What always holds: lines are whole, and written at the latest 0.2 seconds after they were logged; what is left when the process ends is
 * written then. `kill -9` loses that last moment. When nobody reads the log, what is gathered is bounded: further lines are dropped, and a
 * line says how many. A reader that is gone ends the logging, and a full disk interrupts it; neither ends the server.
 */
import pino, { type DestinationStream } from "pino";

const HANDED_OVER_FROM = 64 * 1024;
const HANDED_OVER_EVERY_MS = 200;
const UNREAD_MAX_BYTES = 16 * 1024 * 1024;
export const STANDARD_ERROR = 2;

export function openLogStream(descriptor: number): DestinationStream & { flush(onFlushed: () => void): void } {
  let isEnding = false;
  const stream = pino.destination({
    dest: descriptor,
    sync: false,
    minLength: 1,
    maxLength: UNREAD_MAX_BYTES,
    // A reader that does not read is waited for, but not by a process that ends.
    retryEAGAIN: () => !isEnding,
  });
  // It counts the bytes of all that it has gathered at every write, so lines come to it many at a time.
  let gathered = "";
  const handOver = () => {
    if (gathered !== "") stream.write(gathered);
    gathered = "";
  };
  setInterval(handOver, HANDED_OVER_EVERY_MS).unref();
  // Before its own ways of ending.
  for (const end of ["beforeExit", "exit"]) process.prependListener(end, handOver);
  process.prependListener("exit", () => {
    isEnding = true;
  });

  let dropped = 0;
  stream.on("drop", (lines: string) => {
    dropped += lines.split("\n").length - 1;
  });
  stream.on("drain", () => {
    if (dropped > 0) stream.write(`${JSON.stringify({ level: 40, dropped, msg: "log lines were dropped" })}\n`);
    dropped = 0;
  });

  // At the end of the process it would try for ever to write what cannot be written.
  let isFailing = false;
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    if (!isFailing) flushSync();
  };
  stream.on("error", () => {
    isFailing = true;
  });
  stream.on("write", () => {
    isFailing = false;
  });

  return {
    write: (line) => {
      gathered += line;
      if (gathered.length >= HANDED_OVER_FROM) handOver();
    },
    flush: (onFlushed) => {
      handOver();
      // The second time for the line that says how many were dropped: it follows the last of them.
      stream.flush(() => stream.flush(onFlushed));
    },
  };
}
