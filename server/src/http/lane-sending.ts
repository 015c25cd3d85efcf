/** How an answer becomes bytes on a socket of the quick lane. When it has left, and what is to be done then, is the connection's to know. */
import type { Socket } from "node:net";
import type { Answer } from "./answer.ts";
import { sendParts } from "./recipient.ts";

/** As one piece where it is a text. */
export function sendWhole(socket: Socket, head: string, { body, bodyBytes }: Answer): void {
  const end = body[0];
  if (body.length <= 1 && (end === undefined || typeof end === "string")) {
    // A text with as many bytes as characters is ASCII, as the head is, and goes out as it is.
    const isAscii = end === undefined || end.length === bodyBytes;
    socket.write(end === undefined ? head : head + end, isAscii ? "latin1" : "utf8");
  } else {
    socket.cork();
    socket.write(head, "latin1");
    for (const part of body) socket.write(part);
    socket.uncork();
  }
}

/** While it is read. Ends as it should only where all of it came; fails where it breaks off, and just ends where nobody is left to take it. */
export async function sendInChunks(socket: Socket, head: string, stream: AsyncIterable<Buffer>): Promise<void> {
  socket.write(head, "latin1");
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
