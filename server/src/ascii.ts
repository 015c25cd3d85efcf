/** Texts of ASCII as bytes, for those who put many short ones behind one another. */

/** Node's own way of writing Latin-1. It documents `write` alone, which looks for this one by the name of the encoding every time. */
interface Latin1Writer {
  latin1Write?(text: string, at: number, length: number): number;
}

const hasLatin1Write = typeof (Buffer.prototype as Latin1Writer).latin1Write === "function";

/** There must be room for it. Returns where it ends. */
export const putAscii: (room: Buffer, text: string, at: number) => number = hasLatin1Write
  ? (room, text, at) => at + (room as unknown as Required<Latin1Writer>).latin1Write(text, at, text.length)
  : (room, text, at) => at + room.write(text, at, "latin1");
