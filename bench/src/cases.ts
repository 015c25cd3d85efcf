/** What is asked of the servers: each case is a set of questions, and an order in which keys ask them. */
import { BASE_PATH } from "@lineup/api/endpoint";
import { makeKey } from "@lineup/server/access/key-format";
import {
  CLUB_PLAYERS,
  CONTRACTS,
  type Fixture,
  type FixtureOrganization,
  LARGE_PLAYERS,
  type Place,
  SCHEDULE_ENTRIES,
} from "./fixture.ts";
import { makeMix } from "./mix.ts";
import { onePlayer, patchBody, patchOf } from "./player-questions.ts";
import { type Case, captureAnswer, type Question, UP_TO_META } from "./question.ts";

export const CASE_NAMES = [
  "player",
  "list",
  "page",
  "large-list",
  "schedule",
  "expiring",
  "304",
  "401",
  "429",
  "patch",
  "create",
  "mix",
] as const;
export type CaseName = (typeof CASE_NAMES)[number];

export interface CaseFacts {
  readonly title: string;
  readonly kind: "read" | "refusal" | "write" | "mix";
  readonly place: Place;
  /**
   * How many answers it takes until the server's code is compiled for good. On one core the compiler takes its time from
   * the server, and a server in production is long past that.
   */
  readonly warmUpAnswers: number;
  /** Of the time of a round. The cases of which something is promised have all of it. */
  readonly roundShare: number;
}

const PAGE = 50;

export const CASES: Readonly<Record<CaseName, CaseFacts>> = {
  player: { title: "one player", kind: "read", place: "club", warmUpAnswers: 40_000, roundShare: 1 },
  list: { title: `a list of ${CLUB_PLAYERS}`, kind: "read", place: "club", warmUpAnswers: 20_000, roundShare: 1 },
  page: { title: `a page of ${PAGE} of 10,000`, kind: "read", place: "large", warmUpAnswers: 10_000, roundShare: 0.4 },
  "large-list": { title: "a list of 10,000", kind: "read", place: "large", warmUpAnswers: 200, roundShare: 0.4 },
  schedule: { title: "the schedule", kind: "read", place: "club", warmUpAnswers: 8_000, roundShare: 0.4 },
  expiring: { title: "expiring contracts", kind: "read", place: "club", warmUpAnswers: 8_000, roundShare: 0.4 },
  "304": { title: "304, not modified", kind: "read", place: "club", warmUpAnswers: 20_000, roundShare: 1 },
  "401": { title: "401, unknown key", kind: "refusal", place: "club", warmUpAnswers: 15_000, roundShare: 1 },
  "429": { title: "429, past the limit", kind: "refusal", place: "limited", warmUpAnswers: 15_000, roundShare: 1 },
  patch: { title: "a PATCH", kind: "write", place: "written", warmUpAnswers: 3_000, roundShare: 0.4 },
  create: { title: "a POST", kind: "write", place: "written", warmUpAnswers: 30_000, roundShare: 1 },
  mix: { title: "the mix", kind: "mix", place: "mixed", warmUpAnswers: 10_000, roundShare: 0.4 },
};

/** As many as one machine can claim in a minute without running out of the requests of any address. */
const ADDRESSES = 40_000;
const PATCHED_PLAYERS = 20;

/** For cases that have to ask first, the server is there at this port. */
export async function makeCase(name: CaseName, fixture: Fixture, port: number): Promise<Case> {
  if (name === "mix") return makeMix(fixture.mixed, port);
  const org = fixture[CASES[name].place][0];
  if (org === undefined) throw new Error(`Nothing was made for the case ${name}.`);
  const read = { method: "GET", status: 200, sameUpTo: UP_TO_META } as const;
  const list = { ...read, path: `${BASE_PATH}/players`, count: org.playerIds.length };
  switch (name) {
    case "player":
    case "429":
      return byEveryKey(org, [name === "player" ? onePlayer(org.playerIds[0]) : pastLimit(org)]);
    case "list":
    case "large-list":
      return byEveryKey(org, [list]);
    case "page":
      return byEveryKey(org, await walkPages(org, port));
    case "schedule":
      return byEveryKey(org, [{ ...read, path: `${BASE_PATH}/schedule`, count: SCHEDULE_ENTRIES / 5 }]);
    case "expiring":
      return byEveryKey(org, [{ ...read, path: `${BASE_PATH}/contracts/expiring`, count: CONTRACTS / 5 }]);
    case "304":
      return makeNotModified(org, list, port);
    case "401":
      return makeUnknownKeys(org);
    case "patch":
      return makePatches(org);
    case "create":
      return makeCreates([org]);
  }
}

/** One player again, asked as a refusal is, to hold that against it: by way of a proxy where the refusal comes that way. */
export function makeReference(name: CaseName, fixture: Fixture): Case | undefined {
  const org = fixture.club[0];
  if (CASES[name].kind !== "refusal" || org === undefined) return undefined;
  const plain = byEveryKey(org, [onePlayer(org.playerIds[0])]);
  if (name !== "401") return plain;
  const requestCount = ADDRESSES;
  const keyOf = (index: number) => org.keys[index % org.keys.length] ?? "";
  return {
    ...plain,
    requestCount,
    ask: (index) => ({ question: 0, asking: { key: keyOf(index), headers: headersOfProxy(index) } }),
  };
}

function pastLimit(org: FixtureOrganization): Question {
  const { sameUpTo: _, count: __, ...asked } = onePlayer(org.playerIds[0]);
  return { ...asked, status: 429, code: "RATE_LIMIT_EXCEEDED", sameUpTo: "Wait " };
}

/** Each key asks the next question. */
function byEveryKey(org: FixtureOrganization, questions: readonly Question[], headers?: string): Case {
  return {
    questions,
    requestCount: Math.max(org.keys.length, questions.length),
    ask: (index) => ({
      question: index % questions.length,
      asking: { key: org.keys[index % org.keys.length] ?? "", headers },
    }),
  };
}

/** All pages, one after another, as a client would find them. */
async function walkPages(org: FixtureOrganization, port: number): Promise<Question[]> {
  const pages: Question[] = [];
  let path = `${BASE_PATH}/players?limit=${PAGE}`;
  for (;;) {
    const page = { method: "GET", path, status: 200, count: PAGE, sameUpTo: UP_TO_META } as const;
    pages.push(page);
    const key = org.keys[pages.length % org.keys.length] ?? "";
    const { body } = await captureAnswer(page, { key }, port);
    const { meta } = JSON.parse(body) as { meta: { nextCursor: string | null } };
    if (meta.nextCursor === null) break;
    path = `${BASE_PATH}/players?cursor=${encodeURIComponent(meta.nextCursor)}`;
  }
  if (pages.length !== LARGE_PLAYERS / PAGE) throw new Error(`A walk over all players has ${pages.length} pages.`);
  return pages;
}

async function makeNotModified(org: FixtureOrganization, list: Question, port: number): Promise<Case> {
  const { headers } = await captureAnswer(list, { key: org.keys[0] ?? "" }, port);
  const tag = headers.ETag;
  if (tag === undefined) throw new Error("The list has no entity tag.");
  const { count: _, sameUpTo: __, ...asked } = list;
  return byEveryKey(org, [{ ...asked, status: 304 }], `If-None-Match: ${tag}\r\n`);
}

/**
 * Every request has a key of the right form that nobody holds, which takes a look into the store, and an address that has requests left;
 * past those it would be a 429. Addresses are claimed by way of a trusted proxy.
 */
function makeUnknownKeys(org: FixtureOrganization): Case {
  const { sameUpTo: _, count: __, ...asked } = onePlayer(org.playerIds[0]);
  const questions = [{ ...asked, status: 401, code: "INVALID_API_KEY", sameUpTo: UP_TO_META }];
  return {
    questions,
    requestCount: ADDRESSES,
    ask: (index) => ({ question: 0, asking: { key: makeKey(), headers: headersOfProxy(index) } }),
  };
}

function headersOfProxy(index: number): string {
  return `X-Forwarded-For: 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}\r\nX-Forwarded-Proto: https\r\n`;
}

/** Every request changes its player, and no answer's length. */
function makePatches(org: FixtureOrganization): Case {
  const questions = org.playerIds.slice(0, PATCHED_PLAYERS).map(patchOf);
  const plain = byEveryKey(org, questions);
  return {
    ...plain,
    ask: (index) => {
      const { question, asking } = plain.ask(index);
      return { question, asking: { ...asking, body: patchBody(index) } };
    },
  };
}

/** Every organization in turn, each by its keys in turn. */
export function makeCreates(orgs: readonly FixtureOrganization[]): Case {
  const bodies = orgs.map(({ teamId }) =>
    JSON.stringify({
      ign: "Nightfall",
      realName: "Émilie Lindström",
      role: "Jungle",
      teamId,
      contractStatus: "active",
      nationality: "SE",
      stats: { kda: 4.2, winRate: 0.61, matches: 118 },
    }),
  );
  const create = { method: "POST", path: `${BASE_PATH}/players`, status: 201, count: 1 } as const;
  return {
    questions: [{ ...create, sameUpTo: '"id":"player_' }],
    requestCount: orgs.reduce((sum, { keys }) => sum + keys.length, 0),
    ask: (index) => {
      const org = index % orgs.length;
      const keys = orgs[org]?.keys ?? [];
      const key = keys[Math.floor(index / orgs.length) % keys.length] ?? "";
      return { question: 0, asking: { key, body: bodies[org] } };
    },
  };
}
