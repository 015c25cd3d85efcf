/**
 * Answers sent compressed. The part of an answer that many share, its opening and its data, is compressed once and kept with it; the few bytes
 * of `meta`, which are each request's own, are put behind it as they are. Both formats allow that: a compressor that is told to flush ends
 * on a whole byte, after which a block of plain bytes may follow.
 *
 * What always holds: the bytes are one complete stream, and decode to exactly what would be sent plain.
 */
import { promisify } from "node:util";
import { brotliCompress, constants, crc32, deflateRaw } from "node:zlib";

export type Coding = "br" | "gzip";

/** The shared part, compressed but not ended. */
interface Shared {
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  /** Of the plain bytes; gzip ends with both. */
  readonly plainCrc: number;
  readonly plainBytes: number;
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The longest plain block of either format. */
const PLAIN_BLOCK_MAX = 0xffff;
/** Within a few milliseconds for a page; better ones take many times as long for a few percent. */
const BROTLI_QUALITY = 5;

const compressBrotli = promisify(brotliCompress);
const compressDeflate = promisify(deflateRaw);

/** What was made of one answer, for all who ask for it in the same coding. */
export class Encodings {
  readonly #made = new Map<Coding, Promise<Shared>>();
  readonly #onGrown: (bytes: number) => void;

  constructor(onGrown: (bytes: number) => void) {
    this.#onGrown = onGrown;
  }

  share(coding: Coding, plain: readonly Buffer[]): Promise<Shared> {
    const known = this.#made.get(coding);
    if (known !== undefined) return known;
    const made = compress(coding, plain);
    this.#made.set(coding, made);
    made.then(
      ({ bytes }) => this.#onGrown(bytes),
      () => this.#made.delete(coding),
    );
    return made;
  }
}

/** The whole body; `end` is ASCII and short. Without `kept` it is compressed for this answer alone. */
export async function encodeBody(
  coding: Coding,
  plain: readonly Buffer[],
  end: string,
  kept: Encodings | undefined,
): Promise<Buffer[]> {
  if (end.length > PLAIN_BLOCK_MAX) throw new Error("The end of an answer is too long to be sent as one block.");
  const shared = await (kept?.share(coding, plain) ?? compress(coding, plain));
  const tail = Buffer.from(end, "latin1");
  return [...shared.parts, coding === "br" ? endBrotli(tail) : endGzip(tail, shared)];
}

/**
 * What is sent while it is read, in gzip, which needs no more than a part at a time. Each part is compressed when the first of those who take
 * it has got there, and kept for the others: never more than the plain bytes and a few for each part.
 */
export class GzipParts {
  readonly #parts: Promise<Buffer>[] = [];
  readonly #opening: Buffer;
  #plainCrc: number;
  #plainBytes: number;

  /** `opening` is short and stands before all parts. */
  constructor(opening: Buffer) {
    this.#opening = Buffer.concat([GZIP_HEADER, plainBlock(opening, false)]);
    this.#plainCrc = crc32(opening);
    this.#plainBytes = opening.length;
  }

  begin(): Buffer {
    return this.#opening;
  }

  /** To be asked for one after another, by everybody who takes them. */
  partAt(index: number, plain: Buffer): Promise<Buffer> {
    const known = this.#parts[index];
    if (known !== undefined) return known;
    const made = compressDeflate(plain, { finishFlush: constants.Z_SYNC_FLUSH, level: constants.Z_BEST_SPEED });
    this.#parts.push(made);
    this.#plainCrc = crc32(plain, this.#plainCrc);
    this.#plainBytes += plain.length;
    return made;
  }

  /** Behind the last part; `tail` is short and one client's own. */
  end(tail: Buffer): Buffer {
    return endGzip(tail, { plainCrc: this.#plainCrc, plainBytes: this.#plainBytes });
  }
}

/** Brotli makes less of it, but needs it in one piece; what is too large for that is gzip's. */
export function chooseCoding(acceptEncoding: string | undefined, isOnePiece: boolean): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = readWeights(acceptEncoding);
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [br, gzip] = [isOnePiece ? weightOf("br") : 0, weightOf("gzip")];
  if (br === 0 && gzip === 0) return undefined;
  return br >= gzip ? "br" : "gzip";
}

function readWeights(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const one of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = one.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice("q=".length);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}

async function compress(coding: Coding, plain: readonly Buffer[]): Promise<Shared> {
  const parts: Buffer[] = coding === "gzip" ? [GZIP_HEADER] : [];
  let [plainCrc, plainBytes] = [0, 0];
  for (const part of coding === "br" ? [Buffer.concat(plain)] : plain) {
    parts.push(
      coding === "gzip"
        ? await compressDeflate(part, { finishFlush: constants.Z_SYNC_FLUSH })
        : await compressBrotli(part, {
            finishFlush: constants.BROTLI_OPERATION_FLUSH,
            params: {
              [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
              [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
              [constants.BROTLI_PARAM_SIZE_HINT]: part.length,
            },
          }),
    );
    if (coding === "gzip") plainCrc = crc32(part, plainCrc);
    plainBytes += part.length;
  }
  return { parts, bytes: parts.reduce((sum, { length }) => sum + length, 0), plainCrc, plainBytes };
}

/** A stored block that says it is the last, and the sums over everything. */
function endGzip(tail: Buffer, { plainCrc, plainBytes }: Pick<Shared, "plainCrc" | "plainBytes">): Buffer {
  const sums = Buffer.alloc(8);
  sums.writeUInt32LE(crc32(tail, plainCrc), 0);
  sums.writeUInt32LE((plainBytes + tail.length) % 2 ** 32, 4);
  return Buffer.concat([plainBlock(tail, true), sums]);
}

/** A stored block of deflate, which begins on a whole byte and ends on one. */
function plainBlock(bytes: Buffer, isLast: boolean): Buffer {
  const frame = Buffer.alloc(5);
  frame.writeUInt8(isLast ? 1 : 0, 0);
  frame.writeUInt16LE(bytes.length, 1);
  frame.writeUInt16LE(~bytes.length & 0xffff, 3);
  return Buffer.concat([frame, bytes]);
}

/**
 * An uncompressed meta-block, then an empty last one. The header is 20 bits from the lowest on: not the last (1), the length less one in four
 * nibbles (2 + 16), uncompressed (1); what is left of its third byte is skipped.
 */
function endBrotli(tail: Buffer): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE(((tail.length - 1) << 3) | (1 << 19), 0, 3);
  return Buffer.concat([header, tail, Buffer.from([0x03])]);
}
