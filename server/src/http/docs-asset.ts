/** A file that the docs are made of: kept compressed, sent with a validator so that browsers fetch it once. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesTag } from "./entity-tag.ts";

export interface DocsAsset {
  readonly type: string;
  readonly gzipped: Buffer;
  /** Weak, because the compressed and the plain form share it. */
  readonly etag: string;
}

const compress = promisify(gzip);
const expand = promisify(gunzip);

export async function makeAsset(type: string, text: string): Promise<DocsAsset> {
  return makeCompressedAsset(type, await compress(text));
}

export function makeCompressedAsset(type: string, gzipped: Buffer): DocsAsset {
  const digest = createHash("sha256").update(gzipped).digest("base64url");
  return { type, gzipped, etag: `W/"${digest.slice(0, 22)}"` };
}

export async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: DocsAsset): Promise<FastifyReply> {
  // "no-cache" keeps the file and asks each time whether it is current, so that an upgrade is seen at once.
  reply
    .header("Cache-Control", "no-cache")
    .header("ETag", asset.etag)
    .header("Vary", "Accept-Encoding")
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "no-referrer")
    .header("X-Frame-Options", "DENY")
    .header("Cross-Origin-Resource-Policy", "same-origin");
  if (matchesTag(request.headers["if-none-match"], asset.etag)) return reply.code(304).send();
  reply.type(asset.type);
  if (acceptsGzip(request.headers["accept-encoding"])) {
    return reply.header("Content-Encoding", "gzip").send(asset.gzipped);
  }
  return reply.send(await expand(asset.gzipped));
}

function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return String(acceptEncoding ?? "")
    .split(",")
    .some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
}
