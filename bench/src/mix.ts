/**
 * The mix: nine reads to one write, by 1,000 keys of ten organizations of 200 players each. What is written changes what the
 * organization's next reads answer, so nothing can be served from memory for long. Of every twenty requests
 * eleven ask for one player, one of which is written to now and then; three for a page of 50, two for all 200, one for a player
 * that the client has kept, one for the teams; one changes a player, and one creates a prospect.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import { CLUB_PLAYERS, type FixtureOrganization } from "./fixture.ts";
import { imageUrlOf } from "./fixture-rows.ts";
import { onePlayer, patchBody, patchOf, UP_TO_STATS } from "./player-questions.ts";
import { type Asking, type Case, captureAnswer, type Question, UP_TO_META } from "./question.ts";

const STEPS = 20;
const CYCLES = 100;
const PLAYERS_READ = 30;
/** The last of the list, so that all bytes before them can be compared. */
const PLAYERS_WRITTEN = 5;
const PAGE = 50;
const TEAMS = 20;

export async function makeMix(orgs: readonly FixtureOrganization[], port: number): Promise<Case> {
  const each: OrgQuestions[] = [];
  for (const org of orgs) each.push(await makeOrgQuestions(org, port));
  const perOrg = each[0]?.all.length ?? 0;
  return {
    questions: each.flatMap(({ all }) => all),
    requestCount: orgs.length * STEPS * CYCLES,
    ask: (index) => {
      const place = index % orgs.length;
      const turn = Math.floor(index / orgs.length);
      const cycle = Math.floor(turn / STEPS);
      const { org, choose } = each[place] as OrgQuestions;
      // Moved on by one each cycle, so that no key asks the same step for ever.
      const key = org.keys[(turn + cycle) % org.keys.length] ?? "";
      const { question, asking } = choose(turn % STEPS, cycle, index);
      return { question: place * perOrg + question, asking: { key, ...asking } };
    },
  };
}

interface OrgQuestions {
  readonly org: FixtureOrganization;
  readonly all: readonly Question[];
  choose(
    step: number,
    cycle: number,
    index: number,
  ): { readonly question: number; readonly asking: Omit<Asking, "key"> };
}

async function makeOrgQuestions(org: FixtureOrganization, port: number): Promise<OrgQuestions> {
  const read = { method: "GET", status: 200, sameUpTo: UP_TO_META } as const;
  const writtenIds = org.playerIds.slice(-PLAYERS_WRITTEN);
  const players = org.playerIds.slice(0, PLAYERS_READ).map((id) => onePlayer(id));
  const writes = writtenIds.map(patchOf);
  const exceptId = org.playerIds[PLAYERS_READ] ?? "";
  const kept = await captureAnswer(onePlayer(exceptId), { key: org.keys[0] ?? "" }, port);
  const ifNoneMatch = `If-None-Match: ${kept.headers.ETag}\r\n`;
  // Those that write come first: their answers are captured first, and after that no length changes any more.
  const all: Question[] = [
    ...writes,
    { method: "POST", path: `${BASE_PATH}/prospects`, status: 201, count: 1, sameUpTo: '"id":"prospect_' },
    ...players,
    ...writtenIds.map((id) => ({ ...onePlayer(id), sameUpTo: UP_TO_STATS })),
    {
      ...read,
      path: `${BASE_PATH}/players`,
      count: CLUB_PLAYERS,
      sameUpTo: imageUrlOf(CLUB_PLAYERS - PLAYERS_WRITTEN),
    },
    { ...read, path: `${BASE_PATH}/players?limit=${PAGE}`, count: PAGE },
    { ...read, path: `${BASE_PATH}/teams`, count: TEAMS },
    { method: "GET", path: `${BASE_PATH}/players/${exceptId}`, status: 304 },
  ];
  const create = writes.length;
  const firstPlayer = create + 1;
  const firstWritten = firstPlayer + players.length;
  const [list, page, teams, notModified] = [0, 1, 2, 3].map((more) => firstWritten + writes.length + more) as [
    number,
    number,
    number,
    number,
  ];
  return {
    org,
    all,
    choose: (step, cycle, index) => {
      const plain = (question: number) => ({ question, asking: {} });
      if (step === 0) return { question: cycle % writes.length, asking: { body: patchBody(index) } };
      if (step === 10) return { question: create, asking: { body: PROSPECT } };
      if (step === 5 || step === 15) return plain(list);
      if (step === 3 || step === 8 || step === 13) return plain(page);
      if (step === 7) return plain(teams);
      if (step === 18) return { question: notModified, asking: { headers: ifNoneMatch } };
      if (step === 1) return plain(firstWritten + (cycle % writes.length));
      return plain(firstPlayer + ((cycle * 7 + step) % players.length));
    },
  };
}

const PROSPECT = JSON.stringify({ ign: "Solstice", game: "LoL", role: "Mid", priority: "high", source: "ladder" });
