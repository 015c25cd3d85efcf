/**
 * Reads connections into one piece of memory that all of them share. Node makes 64 KiB for each thing that comes over a connection,
 * and copies from there what did come; for a request of three hundred bytes that costs a fifth of all that answering it does. What it
 * offers to those who connect (`onread`), it does not offer to those who are connected to; so this reaches for what it keeps that in. The
 * Node that Lineup runs on is pinned. On one that keeps it elsewhere, connections are read as usual, and a test says so.
 */
import type { Socket } from "node:net";

/** As much as Node itself takes at a time. */
const shared = Buffer.allocUnsafeSlow(64 * 1_024);
const sharedWords = new Int32Array(shared.buffer);
/** What was handed over last. */
let handedOver: Buffer | undefined;

/** For what was just handed over: the memory it lies in from its beginning on, four bytes at a time. Behind it lies what came before. */
export function wordsOf(chunk: Buffer): Int32Array | undefined {
  return chunk === handedOver ? sharedWords : undefined;
}

/** What Node keeps with a socket that was opened with `onread`. */
interface SocketParts {
  readonly _handle?: { useUserBuffer?: (buffer: Buffer) => void } | null;
  [part: symbol]: unknown;
}

/**
 * Hands over all that comes from now on; what is handed over is good only until `onChunk` returns. Call what is returned to have the rest
 * come as it would have without this: as events of the socket, in memory of its own.
 */
export function readShared(socket: Socket, onChunk: (chunk: Buffer) => void): () => void {
  const parts = socket as unknown as SocketParts;
  const [buffer, callback] = findParts(socket);
  if (buffer === undefined || callback === undefined || parts._handle?.useUserBuffer === undefined) {
    // Whoever reads a socket that was paused has what is told of that already.
    const onData = (chunk: Buffer) => (socket.isPaused() ? undefined : onChunk(chunk));
    socket.on("data", onData);
    return () => void socket.off("data", onData);
  }
  let isShared = true;
  parts[buffer] = shared;
  // Says whether to read on. Pausing says it as well, and at once.
  parts[callback] = (length: number): boolean => {
    const chunk = shared.subarray(0, length);
    if (!isShared) return socket.push(Buffer.from(chunk));
    handedOver = chunk;
    onChunk(chunk);
    return true;
  };
  parts._handle.useUserBuffer(shared);
  return () => {
    isShared = false;
  };
}

function findParts(socket: Socket): readonly [symbol | undefined, symbol | undefined] {
  const symbols = Object.getOwnPropertySymbols(socket);
  const named = (name: string) => symbols.find(({ description }) => description === name);
  return [named("kBuffer"), named("kBufferCb")];
}
