/** How an answer becomes bytes on a socket of the quick lane. When it has left, and what is to be done then, is the connection's to know. */
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { headText, type Outgoing } from "./answer-head.ts";
import { untilDrained } from "./large-answers.ts";

/** As one text where it is short. */
export function sendWhole(socket: Socket, outgoing: Outgoing, body: string | readonly Buffer[], nowMs: number): void {
  const head = headText(outgoing, nowMs);
  if (typeof body === "string") {
    socket.write(head + body, "latin1");
    return;
  }
  socket.cork();
  socket.write(head, "latin1");
  for (const part of body) socket.write(part);
  socket.uncork();
}

/** While it is read. Ends as it should only where all of it came; fails where it breaks off, and just ends where nobody is left to take it. */
export async function sendInChunks(socket: Socket, outgoing: Outgoing, body: Readable, nowMs: number): Promise<void> {
  socket.write(headText(outgoing, nowMs), "latin1");
  for await (const part of body as AsyncIterable<Buffer>) {
    if (!writeChunk(socket, part)) await untilDrained(socket);
    if (socket.destroyed) return;
  }
  socket.write("0\r\n\r\n", "latin1");
}

function writeChunk(socket: Socket, part: Buffer): boolean {
  // An empty chunk would end the whole.
  if (part.length === 0) return true;
  socket.cork();
  socket.write(`${part.length.toString(16)}\r\n`, "latin1");
  socket.write(part);
  const isTaken = socket.write("\r\n", "latin1");
  socket.uncork();
  return isTaken;
}
