/** Lets the bytes of a file through as long as they are UTF-8, and says on which line they are not. */
import { isUtf8 } from "node:buffer";

export class UnreadableText extends Error {
  readonly line: number | null;

  constructor(message: string, line: number | null) {
    super(message);
    this.name = "UnreadableText";
    this.line = line;
  }
}

const NEWLINE = 0x0a;
const NOT_UTF8 = "holds bytes that are not UTF-8; save the file as UTF-8 (in a spreadsheet: CSV UTF-8)";

export async function* utf8Chunks(source: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  /** The line that the chunks so far end in the middle of. */
  let unfinished: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    const chunk = piece as Buffer;
    if (line === 1 && unfinished.length === 0) refuseOtherEncodings(chunk);
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      throw new UnreadableText(NOT_UTF8, findFaultyLine(Buffer.concat([unfinished, chunk]), line));
    }
    yield chunk;
    line += countNewlines(chunk);
    const lastBreak = chunk.lastIndexOf(NEWLINE);
    unfinished = lastBreak === -1 ? Buffer.concat([unfinished, chunk]) : chunk.subarray(lastBreak + 1);
  }
  if (!isUtf8(unfinished)) throw new UnreadableText(NOT_UTF8, line);
}

/** Refuses what spreadsheets save as "Unicode text". */
export function refuseOtherEncodings(start: Buffer): void {
  const mark = start.subarray(0, 2).toString("hex");
  if (mark !== "fffe" && mark !== "feff") return;
  throw new UnreadableText("is written in UTF-16; save it as UTF-8 (in a spreadsheet: CSV UTF-8)", 1);
}

/** The first line of the bytes that is not UTF-8; the last one, which may be unfinished, when all before it are. */
export function findFaultyLine(bytes: Buffer, firstLine: number): number {
  let line = firstLine;
  let from = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
    if (!isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
    line += 1;
  }
  return line;
}

function countNewlines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

export function decodeUtf8(bytes: Buffer): string {
  refuseOtherEncodings(bytes);
  if (!isUtf8(bytes)) throw new UnreadableText(NOT_UTF8, findFaultyLine(bytes, 1));
  const text = bytes.toString("utf8");
  return text.startsWith("\u{FEFF}") ? text.slice(1) : text;
}
