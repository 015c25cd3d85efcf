/**
 * Keeps answers short. What always holds: no result of a tool has more than 10,000 tokens, whatever its records hold and whichever model
 * reads it. Tokenizers work on the bytes of UTF-8 and take at least one of them for a token, so a result of at most 10,000 bytes is one of at most
 * 10,000 tokens. Rare characters do cost a token a byte; records as they are cost less than 0.4, so that a full answer has some 3,000. It is the whole result that
 * is measured, as it is sent, its quotes escaped.
 *
 * A list is cut between two records (`countFitting`), and its cursor goes on behind the last that is shown. A record that is too large by itself is shortened, its
 * largest field first, and says so where something is missing. Nulls are left out.
 */

export const RESULT_MAX_BYTES = 10_000;

/** As the protocol wants it. */
export interface ToolResult {
  [field: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: true;
}

export function makeResult(told: object, isError = false): ToolResult {
  return { content: [{ type: "text", text: toText(told) }], ...(isError && { isError }) };
}

function toText(told: unknown): string {
  return JSON.stringify(told, (_, value: unknown) => value ?? undefined) ?? "";
}

/** As a part of a result that is sent: JSON within a text of JSON. */
function sentBytes(told: unknown): number {
  return Buffer.byteLength(JSON.stringify(toText(told)));
}

/** What the protocol adds to a result: what kind it is, and which server it is from. */
const PROTOCOL_BYTES = 300;
/** What a result costs without anything told. */
const RESULT_BYTES = Buffer.byteLength(JSON.stringify(makeResult({}, true))) + PROTOCOL_BYTES;

export function fits(told: object): boolean {
  return RESULT_BYTES + sentBytes(told) <= RESULT_MAX_BYTES;
}

/** How many of the items can be told beside the rest. */
export function countFitting(items: readonly unknown[], rest: object): number {
  let room = RESULT_MAX_BYTES - RESULT_BYTES - sentBytes({ ...rest, data: [] });
  const tooMuch = items.findIndex((item) => {
    room -= sentBytes(item);
    return room < 0;
  });
  return tooMuch < 0 ? items.length : tooMuch;
}

type Parts = Readonly<Record<string, unknown>>;

/** The record beside the rest, its largest field shortened until all of it fits; what is left out is said in its place. */
export function shortenToFit(record: Parts, rest: object): Parts {
  const shortened: Record<string, unknown> = { ...record };
  for (;;) {
    const excess = RESULT_BYTES + sentBytes({ ...rest, data: shortened }) - RESULT_MAX_BYTES;
    if (excess <= 0) return shortened;
    const [name, size] = findLargest(shortened);
    if (size <= 2 * MARK_BYTES) throw new Error("A record has more fields than fit into an answer.");
    // Never less than half of it: another may be nearly as large.
    const room = Math.max(size - excess, size / 2) - MARK_BYTES;
    shortened[name] = beginningOf(record[name], room);
  }
}

function findLargest(parts: Parts): [name: string, size: number] {
  const sizes = Object.entries(parts).map(([name, value]): [string, number] => [name, sentBytes(value)]);
  return sizes.reduce((largest, one) => (one[1] > largest[1] ? one : largest));
}

/** More than any mark takes. */
const MARK_BYTES = 120;

/** As much of it as has room, and a mark that says how much that is. */
function beginningOf(value: unknown, room: number): unknown {
  if (typeof value === "string") {
    const end = findLongest(value.length, (length) => sentBytes(value.slice(0, length)) <= room);
    // A character that takes two units is not cut through.
    const shown = value.slice(0, end).isWellFormed() ? value.slice(0, end) : value.slice(0, end - 1);
    return `${shown}… [${[...shown].length} of ${[...value].length} characters are shown]`;
  }
  const parts = Object.entries(value as object);
  const isList = Array.isArray(value);
  const take = (count: number) => {
    const first = parts.slice(0, count);
    return isList ? first.map(([, item]): unknown => item) : Object.fromEntries(first);
  };
  const shown = findLongest(parts.length, (count) => sentBytes(take(count)) <= room);
  const mark = `[${shown} of ${parts.length} are shown]`;
  return isList ? [...(take(shown) as unknown[]), mark] : { ...take(shown), "…": mark };
}

function findLongest(most: number, isFitting: (length: number) => boolean): number {
  let [fitting, tooLong] = [0, most + 1];
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (isFitting(middle)) fitting = middle;
    else tooLong = middle;
  }
  return fitting;
}
