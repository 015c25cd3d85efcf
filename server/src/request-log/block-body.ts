/** What `open-block.ts` has written, read again. Each text is judged once, however many requests have it. */
import { timeOfId } from "./id-times.ts";
import type { LoggedRequest } from "./request-record.ts";
import type { RequestSearch } from "./request-search.ts";

const ID_LENGTH = 30;
/** Where the numbers of a request stand in its row. */
const KEY = 0;
const METHOD = 1;
const TARGET = 2;
const ENDPOINT = 3;
const STATUS = 4;
const CODE = 5;
const DURATION = 6;
const ADDRESS = 7;
const AGENT = 8;
const WIDTH = 9;

interface BlockBody {
  readonly ids: string;
  readonly words: readonly (string | null)[];
  readonly facts: readonly number[];
}

/** In the order of the block, which is about that of time. */
export function findMatches(body: string, search: RequestSearch): LoggedRequest[] {
  const block = JSON.parse(body) as BlockBody;
  const isMatch = makeJudge(block, search);
  const found: LoggedRequest[] = [];
  const count = block.ids.length / ID_LENGTH;
  for (let index = 0; index < count; index++) {
    if (!isMatch(index * WIDTH)) continue;
    const id = block.ids.slice(index * ID_LENGTH, (index + 1) * ID_LENGTH);
    if (id >= search.least && id < search.below) found.push(readRequest(block, id, index * WIDTH));
  }
  return found;
}

type Judge = (row: number) => boolean;

function makeJudge({ words, facts }: BlockBody, search: RequestSearch): Judge {
  const { keyId, method, code, path, statuses } = search;
  const judges: Judge[] = [];
  if (statuses !== undefined) {
    const [least, most] = statuses;
    judges.push((row) => (facts[row + STATUS] ?? 0) >= least && (facts[row + STATUS] ?? 0) <= most);
  }
  const demand = (fact: number, isWanted: (word: string) => boolean) => {
    const wanted = words.map((word) => word !== null && isWanted(word));
    judges.push((row) => wanted[facts[row + fact] ?? 0] === true);
  };
  if (keyId !== undefined) demand(KEY, (word) => word === keyId);
  if (method !== undefined) demand(METHOD, (word) => word === method);
  if (code !== undefined) demand(CODE, (word) => word === code);
  if (path !== undefined) demand(TARGET, (word) => word.toLowerCase().includes(path));
  return (row) => judges.every((judge) => judge(row));
}

function readRequest({ words, facts }: BlockBody, id: string, row: number): LoggedRequest {
  const textOf = (fact: number) => words[facts[row + fact] ?? 0] ?? null;
  return {
    id,
    at: timeOfId(id),
    keyId: textOf(KEY) ?? "",
    method: textOf(METHOD) ?? "",
    target: textOf(TARGET) ?? "",
    endpoint: textOf(ENDPOINT) ?? "",
    status: facts[row + STATUS] ?? 0,
    code: textOf(CODE),
    durationUs: facts[row + DURATION] ?? 0,
    address: textOf(ADDRESS),
    userAgent: textOf(AGENT),
  };
}
