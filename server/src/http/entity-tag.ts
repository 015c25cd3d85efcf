/**
 * Entity tags: a client that has an answer asks with its tag, and is told 304 while nothing has changed, which saves it the body and
 * counts like any answer. A tag stands for what is answered, not for how: the envelope's request id and time differ each time, so tags are weak.
 *
 * An answer in memory is known by its content. A large list is sent while it is read, so it is known by what decides its content: the
 * organization's revision, and the moment at which time alone changes it next. Such a tag is good in this process only, because a store that was
 * restored from a backup may have the same revision with other content; elsewhere the client is sent what it has, once.
 */
import { createHash, hash, randomUUID } from "node:crypto";

/** 132 bits: that two answers share one by chance will not happen. */
const TAG_CHARACTERS = 22;

/** Each of a list of tags, with its quotes. */
const QUOTED = /"[^"]*"/g;

const ofThisProcess = randomUUID();

/** A further page is news as well. */
export function makeTag(content: string | readonly Uint8Array[], nextCursor: string | null | undefined): string {
  if (typeof content === "string") return tagOfDigest(hash("sha1", `${content}\n${nextCursor}`, "base64url"));
  const whole = createHash("sha1");
  for (const part of content) whole.update(part);
  return tagOfDigest(whole.update(`\n${nextCursor}`).digest("base64url"));
}

/** Of content that is not read yet: the answer to the target, between now and the moment at which it changes without a write. */
export function makeRevisionTag(orgId: string, target: string, revision: number, until: number): string {
  return tagOfDigest(hash("sha1", `${ofThisProcess} ${orgId} ${revision} ${until} ${target}`, "base64url"));
}

function tagOfDigest(digest: string): string {
  return `W/"${digest.slice(0, TAG_CHARACTERS)}"`;
}

/** As `If-None-Match` is compared: by what stands between the quotes, in which there may be commas; and a star by itself is every tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === "*") return true;
  const opaque = tag.slice("W/".length);
  return ifNoneMatch.match(QUOTED)?.includes(opaque) ?? false;
}
