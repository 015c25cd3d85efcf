/**
 * Reads a file that somebody has named. Never more of it is read than it may hold, whatever size the system tells: a link may lead to a device
 * that never ends. Beside regular files only pipes are read, for a shell hands secrets over in one; not for as long as nobody writes into it.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** For what holds a secret or an address. */
export const SMALL_FILE_MAX_BYTES = 64 * 1024;
/** For what has an entry for each organization: some hundred thousand of them. */
export const REGISTER_MAX_BYTES = 64 * 1024 * 1024;

const PIECE_MAX_BYTES = 1024 * 1024;
/** The program that writes into a pipe may ask for a passphrase first. */
const PIPE_PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 10;

/** What was named is not a file that can be read. */
export class UnfitFile extends Error {
  readonly code: "EISDIR" | "EFBIG" | "ENODEV" | "EPIPE";
  /** Fits into brackets behind the name of the file. */
  readonly reason: string;

  constructor(path: string, code: UnfitFile["code"], reason: string) {
    super(`${path} cannot be read: ${reason}. Name the right file.`);
    this.name = "UnfitFile";
    this.code = code;
    this.reason = reason;
  }
}

export function readBounded(path: string, maxBytes: number): Buffer {
  // Without waiting: opening a pipe would last until somebody writes into it.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw new UnfitFile(path, "EISDIR", "it is a folder");
    if (!found.isFile() && !found.isFIFO()) throw new UnfitFile(path, "ENODEV", "it is a device, not a file");
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      // One byte more than is told, so that the end is seen without another piece.
      const expected = found.isFile() ? Math.max(found.size - length, 0) + 1 : PIECE_MAX_BYTES;
      const piece = Buffer.allocUnsafe(Math.min(PIECE_MAX_BYTES, maxBytes + 1 - length, expected));
      const count = readPiece(descriptor, piece, path);
      if (count === 0) break;
      pieces.push(piece.subarray(0, count));
      length += count;
      if (length > maxBytes) throw new UnfitFile(path, "EFBIG", `it is larger than ${describeBytes(maxBytes)}`);
    }
    if (length === 0 && found.isFIFO()) throw new UnfitFile(path, "EPIPE", "it is a pipe that nobody writes into");
    return Buffer.concat(pieces, length);
  } finally {
    closeSync(descriptor);
  }
}

export function describeBytes(bytes: number): string {
  const mega = 1024 * 1024;
  return bytes < mega ? `${Math.ceil(bytes / 1024)} KB` : `${Math.ceil(bytes / mega)} MB`;
}

function readPiece(descriptor: number, piece: Buffer, path: string): number {
  const deadline = performance.now() + PIPE_PATIENCE_MS;
  for (;;) {
    try {
      return readSync(descriptor, piece);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
    if (performance.now() > deadline) throw new UnfitFile(path, "EPIPE", "it is a pipe out of which nothing comes");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
}
