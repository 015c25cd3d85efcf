/**
 * Takes what people searched for out of the request log, where it is a value of somebody who was erased. Which texts those are, the caller
 * knows: the values themselves are gone by then. A text is compared whole, as it was sent in a parameter, in a part of one that commas
 * or a colon separate, or in the path; a search also by each of its words, for it may be for a part of a name.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Kysely } from "kysely";
import { type BlockStore, type BlockTables, readBlock, toBlockRow } from "./request-block.ts";
import type { StoredRequest } from "./request-record.ts";

/** What stands in the log where a value stood. */
export const ERASED_TEXT = "[erased]";
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
    .map((part) => (isErased(decode(part), texts) ? ERASED_TEXT : part))
    .join("/");
  if (start < 0) return kept;
  const query = target
    .slice(start + 1)
    .split("&")
    .map((pair) => redactPair(pair, texts));
  return `${kept}?${query.join("&")}`;
}

function redactPair(pair: string, texts: ErasedTexts): string {
  const equals = pair.indexOf("=");
  const name = equals < 0 ? "" : pair.slice(0, equals);
  const text = decode(pair.slice(equals + 1));
  if (!isErased(text, texts, decode(name))) return pair;
  return equals < 0 ? ERASED_TEXT : `${name}=${ERASED_TEXT}`;
}

function isErased(text: string, texts: ErasedTexts, name = ""): boolean {
  if (text === "") return false;
  const parts = [text, ...text.split(",")];
  const ids = parts.map((part) => part.slice(part.indexOf(":") + 1));
  if (name === "search" && [text, ...text.split(/\s+/)].some((one) => texts.isSearch(one.trim()))) return true;
  if (name === "externalId" && ids.some((id) => texts.isExternalId(id.trim()))) return true;
  return [...parts, ...ids].some((one) => texts.isValue(one.trim()));
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
      const set = { terms, records, body: NO_OLD_BODY };
      const isWritten = await blocks.write((db) => updateBlock(db, { org_id: orgId, id, requests }, set));
      // Who records has added to it meanwhile.
      if (!isWritten) return rewritten + (await redactBlocks(blocks, orgId, texts, sinceId));
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

async function updateBlock(
  db: Kysely<BlockTables>,
  { org_id, id, requests }: { readonly org_id: string; readonly id: string; readonly requests: number },
  set: { readonly terms: string; readonly records: Uint8Array | null; readonly body: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("request_blocks")
    .set(set)
    .where("org_id", "=", org_id)
    .where("id", "=", id)
    .where("requests", "=", requests)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
