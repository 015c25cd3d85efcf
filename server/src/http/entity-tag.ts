/**
 * Entity tags: a client that kept an answer asks with its tag, and is told 304 while nothing has changed, which saves it the body and
 * counts like any answer. A tag stands for what is answered, not for how: the envelope's request id and time differ each time, so tags are weak.
 */
import { createHash, hash } from "node:crypto";

/** 132 bits: that two answers share one by chance will not happen. */
const TAG_CHARACTERS = 22;

export function makeTag(content: string | readonly Uint8Array[], more: string): string {
  return `W/"${digest(content, more).slice(0, TAG_CHARACTERS)}"`;
}

function digest(content: string | readonly Uint8Array[], more: string): string {
  if (typeof content === "string") return hash("sha1", content + more, "base64url");
  const whole = createHash("sha1");
  for (const part of content) whole.update(part);
  return whole.update(more).digest("base64url");
}

/** As `If-None-Match` is compared: by what stands between the quotes, and a star is every tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  const opaque = opaqueOf(tag);
  return ifNoneMatch.split(",").some((one) => one.trim() === "*" || opaqueOf(one.trim()) === opaque);
}

function opaqueOf(tag: string): string {
  return tag.startsWith("W/") ? tag.slice("W/".length) : tag;
}
