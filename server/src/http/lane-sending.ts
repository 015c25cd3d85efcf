/** How an answer becomes bytes on a socket of the quick lane. When it has left, and what is to be done then, is the connection's to know. */
import type { Socket } from "node:net";
import { freeBytes } from "../own-bytes.ts";
import { OPENING_BYTES } from "./answer.ts";
import { headBytes, leaveRoom, type Outgoing, TOGETHER_MAX_BYTES, wholeBytes } from "./answer-bytes.ts";
import { sendParts } from "./recipient.ts";

/** As one piece where it is small. */
export function sendWhole(socket: Socket, outgoing: Outgoing, nowMs: number): void {
  const { body, bodyBytes, isOwn } = outgoing.answer;
  if (bodyBytes <= TOGETHER_MAX_BYTES) {
    sendFromRoom(socket, wholeBytes(outgoing, nowMs));
    return;
  }
  socket.cork();
  socket.write(Buffer.from(headBytes(outgoing, nowMs)));
  for (const part of body) socket.write(part);
  socket.uncork();
  if (isOwn && hasLeft(socket)) freeBody(body);
}

/** All that was written is the system's. What is encrypted is taken up later, always. */
function hasLeft(socket: Socket): boolean {
  return !("encrypted" in socket) && socket.writableLength === 0;
}

function freeBody(body: readonly (string | Buffer)[]): void {
  for (const part of body) if (part !== OPENING_BYTES && typeof part !== "string") freeBytes(part);
}

/** The bytes lie in memory that the next answer is put together in. */
function sendFromRoom(socket: Socket, bytes: Buffer): void {
  // What is encrypted is taken up later, always.
  const isLate = "encrypted" in socket;
  socket.write(isLate ? Buffer.from(bytes) : bytes);
  if (!isLate && socket.writableLength > 0) leaveRoom();
}

/** While it is read. Ends as it should only where all of it came; fails where it breaks off, and just ends where nobody is left to take it. */
export async function sendInChunks(
  socket: Socket,
  outgoing: Outgoing,
  stream: AsyncIterable<Buffer>,
  nowMs: number,
): Promise<void> {
  sendFromRoom(socket, headBytes(outgoing, nowMs));
  await sendParts(socket, stream, (part) => writeChunk(socket, part));
  if (!socket.destroyed) socket.write("0\r\n\r\n", "latin1");
}

/** Of a body whose length nobody knows. */
function writeChunk(socket: Socket, part: Buffer): boolean {
  socket.cork();
  socket.write(`${part.length.toString(16)}\r\n`, "latin1");
  socket.write(part);
  const isTaken = socket.write("\r\n", "latin1");
  socket.uncork();
  return isTaken;
}
