/** What `open-block.ts` has written, read again. Each text is judged once, however many requests have it. */
import { timeOfId } from "./id-times.ts";
import type { LoggedRequest } from "./request-record.ts";
import type { RequestSearch } from "./request-search.ts";

const ID_LENGTH = 30;
/** Where the numbers of a request stand. */
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
  /** Of each kind the one number that all requests have, or that of each. In older blocks all numbers of one request after those of another. */
  readonly facts: readonly (number | readonly number[])[];
}

type ReadFact = (fact: number, index: number) => number;

/** In the order of the block, which is about that of time. */
export function findMatches(body: string, search: RequestSearch): LoggedRequest[] {
  const block = JSON.parse(body) as BlockBody;
  const factOf = makeReader(block);
  const isMatch = makeJudge(block, factOf, search);
  const found: LoggedRequest[] = [];
  const count = block.ids.length / ID_LENGTH;
  for (let index = 0; index < count; index++) {
    if (!isMatch(index)) continue;
    const id = block.ids.slice(index * ID_LENGTH, (index + 1) * ID_LENGTH);
    if (id >= search.least && id < search.below) found.push(readRequest(block, factOf, id, index));
  }
  return found;
}

function makeReader({ facts }: BlockBody): ReadFact {
  if (facts.length > WIDTH) return (fact, index) => (facts[index * WIDTH + fact] as number | undefined) ?? 0;
  return (fact, index) => {
    const column = facts[fact];
    return (typeof column === "object" ? column[index] : column) ?? 0;
  };
}

type Judge = (index: number) => boolean;

function makeJudge({ words }: BlockBody, factOf: ReadFact, search: RequestSearch): Judge {
  const { keyId, method, code, path, statuses } = search;
  const judges: Judge[] = [];
  if (statuses !== undefined) {
    const [least, most] = statuses;
    judges.push((index) => factOf(STATUS, index) >= least && factOf(STATUS, index) <= most);
  }
  const demand = (fact: number, isWanted: (word: string) => boolean) => {
    const wanted = words.map((word) => word !== null && isWanted(word));
    judges.push((index) => wanted[factOf(fact, index)] === true);
  };
  if (keyId !== undefined) demand(KEY, (word) => word === keyId);
  if (method !== undefined) demand(METHOD, (word) => word === method);
  if (code !== undefined) demand(CODE, (word) => word === code);
  if (path !== undefined) demand(TARGET, (word) => word.toLowerCase().includes(path));
  return (index) => judges.every((judge) => judge(index));
}

function readRequest({ words }: BlockBody, factOf: ReadFact, id: string, index: number): LoggedRequest {
  const textOf = (fact: number) => words[factOf(fact, index)] ?? null;
  return {
    id,
    at: timeOfId(id),
    keyId: textOf(KEY) ?? "",
    method: textOf(METHOD) ?? "",
    target: textOf(TARGET) ?? "",
    endpoint: textOf(ENDPOINT) ?? "",
    status: factOf(STATUS, index),
    code: textOf(CODE),
    durationUs: factOf(DURATION, index),
    address: textOf(ADDRESS),
    userAgent: textOf(AGENT),
  };
}
