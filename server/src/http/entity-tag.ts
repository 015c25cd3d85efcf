/**
 * Entity tags: a client that kept an answer asks with its tag, and is told 304 while nothing has changed, which saves it the body and
 * counts like any answer. A tag stands for what is answered, not for how: the envelope's request id and time differ each time, so tags are weak.
 *
 * What is sent while it is still being read needs a tag before its content is known. It gets one of its own, that nothing else will ever
 * have; and once the content is known, it is remembered which tag that has. So equal tags mean equal content, and a client that
 * has either is told 304. Where it is forgotten, after many others or a restart, or asked of another worker or node, the
 * client is sent what it has, once.
 */
import { createHash, hash, randomBytes } from "node:crypto";

/** 132 bits: that two answers share one by chance will not happen. */
const TAG_CHARACTERS = 22;
/** Some 150 bytes each. */
const PROMISED_MAX = 4_096;

/** Each of a list of tags, with its quotes. */
const QUOTED = /"[^"]*"/g;

/** What stands between the quotes of a tag told early → that of the content's own; the oldest first. */
const known = new Map<string, string>();

/** For content that is not known yet. */
export function promiseTag(): string {
  return `W/"${randomBytes(TAG_CHARACTERS).toString("base64url").slice(0, TAG_CHARACTERS)}"`;
}

/** What content turned out to stand behind a promised tag. */
export function tellTag(promised: string, made: string): void {
  const oldest = known.size >= PROMISED_MAX ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  known.set(opaqueOf(promised), opaqueOf(made));
}

/** A further page is news as well. */
export function makeTag(content: string | readonly Uint8Array[], nextCursor: string | null | undefined): string {
  return tagOfDigest(digest(content, `\n${nextCursor}`));
}

/** Makes the tag of content that comes in parts and is all there is. */
export class TagMaker {
  readonly #hash = createHash("sha1");

  add(part: Uint8Array): void {
    this.#hash.update(part);
  }

  finish(): string {
    return tagOfDigest(this.#hash.update(`\n${undefined}`).digest("base64url"));
  }
}

function tagOfDigest(digest: string): string {
  return `W/"${digest.slice(0, TAG_CHARACTERS)}"`;
}

function digest(content: string | readonly Uint8Array[], more: string): string {
  if (typeof content === "string") return hash("sha1", content + more, "base64url");
  const whole = createHash("sha1");
  for (const part of content) whole.update(part);
  return whole.update(more).digest("base64url");
}

/** As `If-None-Match` is compared: by what stands between the quotes, in which there may be commas; and a star by itself is every tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === "*") return true;
  const opaque = opaqueOf(tag);
  return (ifNoneMatch.match(QUOTED) ?? []).some((asked) => asked === opaque || known.get(asked) === opaque);
}

function opaqueOf(tag: string): string {
  return tag.startsWith("W/") ? tag.slice("W/".length) : tag;
}
