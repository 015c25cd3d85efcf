/**
 * Takes what people searched for out of the request log, where it is a value of somebody who was erased. Which texts those are, the caller
 * knows: the values themselves are gone by then. A text is compared whole, as it was sent in a parameter, in a part of one that commas
 * or a colon separate, or in the path; a search also by each of its words, for it may be for a part of a name. Quotes and the like around
 * any of these, and between the words of a search, are passed over. A cursor holds the search of its list, and of a sorted one a value of
 * the record that a page ended with. What was too long to be logged whole cannot be compared, so it goes.
 */
import { setImmediate as breathe } from "node:timers/promises";
import { CUT_OFF } from "./logged-texts.ts";
import { type BlockStore, readBlock, toBlockRow } from "./request-block.ts";
import type { StoredRequest } from "./request-record.ts";

/** What stands in the log where a value stood. */
const ERASED_TEXT = "[erased]";
/** In the column of blocks of the version before, where a block of this version has none. */
const NO_OLD_BODY = '{"ids":"","words":[],"facts":[]}';
const BLOCKS_A_PIECE = 20;

export interface ErasedTexts {
  /** Whether somebody who was erased had this value. */
  isValue(text: string): boolean;
  /** Whether a search for this may have been for them. */
  isSearch(text: string): boolean;
  /** Whether they had this id in another system. */
  isExternalId(text: string): boolean;
}

/** The target as it may stay. */
export function redactTarget(target: string, texts: ErasedTexts): string {
  const start = target.indexOf("?");
  const path = start < 0 ? target : target.slice(0, start);
  const kept = path
    .split("/")
    .map((part, at) => (isErased(part, texts, at >= ID_AT ? "search" : "") ? ERASED_TEXT : part))
    .join("/");
  if (start < 0) return kept;
  const query = target
    .slice(start + 1)
    .split("&")
    .map((pair) => redactPair(pair, texts));
  return `${kept}?${query.join("&")}`;
}

/** Where an id stands in a path, and now and then a name instead. */
const ID_AT = 2;

function redactPair(pair: string, texts: ErasedTexts): string {
  const equals = pair.indexOf("=");
  const name = equals < 0 ? "" : pair.slice(0, equals);
  if (!isErased(pair.slice(equals + 1), texts, decode(name))) return pair;
  return equals < 0 ? ERASED_TEXT : `${name}=${ERASED_TEXT}`;
}

/** As it was logged: encoded, and perhaps cut off. */
function isErased(logged: string, texts: ErasedTexts, name: string): boolean {
  if (logged.endsWith(CUT_OFF)) return true;
  const text = decode(logged);
  return isErasedText(text, texts, name) || (name === "cursor" && isErasedCursor(text, texts));
}

function isErasedCursor(cursor: string, texts: ErasedTexts): boolean {
  const isHeld = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(isHeld)
      : typeof value === "string" && ["search", "externalId"].some((name) => isErasedText(value, texts, name));
  try {
    return isHeld(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    return false;
  }
}

function isErasedText(text: string, texts: ErasedTexts, name: string): boolean {
  if (text === "") return false;
  const parts = [text, ...text.split(",")];
  const ids = parts.map((part) => part.slice(part.indexOf(":") + 1));
  const words = [text, ...text.split(/\s+/), ...text.split(NO_WORD)];
  if (name === "search" && withBare(words).some((one) => texts.isSearch(one))) return true;
  if (name === "externalId" && withBare(ids).some((id) => texts.isExternalId(id))) return true;
  return withBare([...parts, ...ids]).some((one) => texts.isValue(one));
}

const NO_WORD = /[^\p{L}\p{M}\p{N}]+/u;
/** From the first letter or digit to the last. */
const BARE = /[\p{L}\p{M}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/su;

/** Each as it stands, for a value may itself begin or end with a sign, and without what is around it. */
function withBare(given: readonly string[]): string[] {
  const both = given.flatMap((text) => [text.trim(), BARE.exec(text)?.[0] ?? ""]);
  return [...new Set(both)].filter((text) => text !== "");
}

/** What is wrongly encoded is compared as it stands. */
function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Of one organization, the blocks with requests since then. Returns how many were written anew. */
export async function redactBlocks(
  blocks: BlockStore,
  orgId: string,
  texts: ErasedTexts,
  sinceId = "",
): Promise<number> {
  let rewritten = 0;
  for (let after = ""; ; ) {
    const page = await blocks.readAtOnce(orgId, (org) =>
      org
        .selectFrom("request_blocks")
        .select(["id", "requests", "records", "body"])
        .where("id", ">", after)
        .where("last_id", ">=", sinceId)
        .orderBy("id")
        .limit(BLOCKS_A_PIECE)
        .execute(),
    );
    for (const { id, requests, ...stored } of page) {
      const redacted = redactRequests(readBlock(stored), texts);
      if (redacted === undefined) continue;
      rewritten++;
      const { terms, records } = await toBlockRow(orgId, redacted);
      const { numUpdatedRows } = await blocks.write((db) =>
        db
          .updateTable("request_blocks")
          .set({ terms, records, body: NO_OLD_BODY })
          .where("org_id", "=", orgId)
          .where("id", "=", id)
          .where("requests", "=", requests)
          .executeTakeFirst(),
      );
      // Who records has added to it meanwhile.
      if (numUpdatedRows === 0n) return rewritten + (await redactBlocks(blocks, orgId, texts, sinceId));
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < BLOCKS_A_PIECE) return rewritten;
    await breathe();
  }
}

/** Undefined where nothing has to go. */
export function redactRequests(requests: readonly StoredRequest[], texts: ErasedTexts): StoredRequest[] | undefined {
  let hasAny = false;
  const redacted = requests.map((request) => {
    const target = redactTarget(request.target, texts);
    if (target === request.target) return request;
    hasAny = true;
    return { ...request, target };
  });
  return hasAny ? redacted : undefined;
}
