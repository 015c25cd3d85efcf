/** Answers sent compressed, by the client's own preference. */
import { pipeline, Readable } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

export type Coding = "br" | "gzip";

/** Within a few milliseconds for a page; better ones take many times as long for a few percent. */
const BROTLI_QUALITY = 5;
/** As a power of two. A larger window makes little of what repeats within a record, and takes megabytes for every answer under way. */
const BROTLI_WINDOW = 18;
/** Brotli makes less of an answer than gzip does, and takes longer for it: what is larger than this is gzip's. */
const BROTLI_MAX_BYTES = 1024 * 1024;

/** The coding that the client prefers for an answer of so many bytes; undefined where it is to be sent as it is. */
export function chooseCoding(acceptEncoding: string | undefined, bytes: number): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weightOf = readWeights(acceptEncoding);
  const [br, gzip] = [bytes <= BROTLI_MAX_BYTES ? weightOf("br") : 0, weightOf("gzip")];
  if (br === 0 && gzip === 0) return undefined;
  return br >= gzip ? "br" : "gzip";
}

/** How much the client wants a coding; 0 where it does not take it. */
export function readWeights(acceptEncoding = ""): (coding: Coding) => number {
  const weights = new Map<string, number>();
  for (const one of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = one.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice("q=".length);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return (coding) => weights.get(coding) ?? weights.get("*") ?? 0;
}

/** A fault of the source is one of the stream that is returned; to destroy that destroys the source. */
export function compress(coding: Coding, plain: readonly Buffer[] | Readable, bytes: number | undefined): Readable {
  const source = plain instanceof Readable ? plain : Readable.from(plain);
  const compressor = coding === "br" ? makeBrotli(bytes) : createGzip({ level: constants.Z_BEST_SPEED });
  return pipeline(source, compressor, () => undefined);
}

function makeBrotli(bytes = 0) {
  return createBrotliCompress({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  });
}
