/** What is looked for in the log, as bounds on ids, as marks that a block must bear, and as conditions on each request. */
import { isIdOf } from "@lineup/api/ids";
import { firstIdAt, justAbove, PAST_ALL_IDS } from "./id-times.ts";
import { codeMark, keyMark, methodMark, statusClassMarks, statusMark } from "./marks.ts";

export interface RequestFilters {
  readonly id?: string | undefined;
  readonly keyId?: string | undefined;
  /** A status such as 404, or a class of them such as 4xx. */
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly method?: string | undefined;
  /** Part of path or query, in any case. */
  readonly path?: string | undefined;
  /** Both inclusive, in milliseconds since the Unix epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface RequestSearch {
  /** Ids from here on, and up to but not including there. */
  readonly least: string;
  readonly below: string;
  readonly keyId: string | undefined;
  readonly method: string | undefined;
  readonly code: string | undefined;
  /** In lower case. */
  readonly path: string | undefined;
  /** Both inclusive. */
  readonly statuses: readonly [number, number] | undefined;
  /** A block that lacks all bits of any of these holds nothing that is looked for. */
  readonly keyMarks: number;
  readonly kindMarks: readonly number[];
}

/** `below` goes on from an earlier page. */
export function makeSearch(filters: RequestFilters, below: string = PAST_ALL_IDS): RequestSearch {
  const { id, keyId, status, code, method, path, from, to } = filters;
  // What is no id is looked for as well, and not found.
  const isId = id !== undefined && isIdOf("req", id);
  const least = [from === undefined ? "" : firstIdAt(from), id === undefined ? "" : isId ? id : PAST_ALL_IDS];
  const ends = [below, to === undefined ? PAST_ALL_IDS : firstIdAt(to + 1), isId ? justAbove(id) : PAST_ALL_IDS];
  const kindMarks = [
    status === undefined ? 0 : marksOfStatus(status),
    code === undefined ? 0 : codeMark(code),
    method === undefined ? 0 : methodMark(method),
  ];
  return {
    least: least.toSorted().at(-1) ?? "",
    below: ends.toSorted().at(0) ?? PAST_ALL_IDS,
    keyId,
    method,
    code,
    path: path?.toLowerCase(),
    statuses: status === undefined ? undefined : statusesOf(status),
    keyMarks: keyId === undefined ? 0 : keyMark(keyId),
    kindMarks: kindMarks.filter((marks) => marks !== 0),
  };
}

export interface BlockMarks {
  readonly key_marks: number;
  readonly kind_marks: number;
}

export function mayHoldMatches(block: BlockMarks, { keyMarks, kindMarks }: RequestSearch): boolean {
  if (keyMarks !== 0 && (block.key_marks & keyMarks) === 0) return false;
  return kindMarks.every((marks) => (block.kind_marks & marks) !== 0);
}

function isClass(status: string): boolean {
  return status.endsWith("xx");
}

function marksOfStatus(status: string): number {
  return isClass(status) ? statusClassMarks(Number(status.charAt(0))) : statusMark(Number(status));
}

function statusesOf(status: string): [number, number] {
  const least = Number(status.replace("xx", "00"));
  return [least, isClass(status) ? least + 99 : least];
}
