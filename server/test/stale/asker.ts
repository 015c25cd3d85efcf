/** Asks a server what a walker wants to know, in every manner that clients have, and judges what it is told. */
import { setTimeout as sleep } from "node:timers/promises";
import { BASE_PATH } from "@lineup/api/endpoint";
import type { Permission } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import type { Store } from "../../src/store/store.ts";
import type { ManualClock } from "../manual-clock.ts";
import { Complaint, judgeRead, judgeRecord, judgeRefusal, type Kept, type Manner } from "./judge-answer.ts";
import type { Access, KeyRing } from "./key-ring.ts";
import type { Asked, Line, Told } from "./line.ts";
import type { Model } from "./model.ts";
import { answerOf, type Expected, type ListPath, type ListQuestion, type Question } from "./model-answers.ts";
import { makeQuestion, targetOf, wholeListOf } from "./questions.ts";
import type { Random } from "./random.ts";
import type { Tally } from "./tally.ts";

/** docs/scaling.md: three seconds, where a notification is lost. A busy machine gets as much again to ask in. */
const SEEN_WITHIN_MS = 6_000;
const ASK_AGAIN_MS = 2;
const REMEMBERED_QUESTIONS = 6;
const REMEMBERED_PAGES = 6;
const KEPT_ANSWERS_MAX = 300;

const PLAIN: Manner = { method: "GET", kept: undefined, isConditional: false, coding: undefined };

/** A server to ask, and the store that it stands on as it sees it. */
export interface Door {
  /** For plain reads, which a server may answer in a way of its own as long as a connection asks for nothing else. */
  readonly plainLines: readonly Line[];
  /** For everything else. */
  readonly otherLines: readonly Line[];
  readonly store: Store;
}

export interface WalkerParts {
  readonly name: string;
  readonly random: Random;
  readonly clock: ManualClock;
  readonly model: Model;
  readonly ring: KeyRing;
  readonly doors: readonly [Door, ...Door[]];
  /** Another process's way to the same data: what it writes, no server knows by itself. */
  readonly elsewhere: Store;
  /** Whether the very next answer shows what was written elsewhere; if not, one within the bound does. */
  readonly seesAtOnce: boolean;
  readonly tiers: Readonly<Partial<Record<Tier, number>>>;
  readonly tally: Tally;
}

/** A question on its way, or answered and not yet judged. */
export interface Sent {
  readonly question: Question;
  readonly manner: Manner;
  readonly refusal: string | undefined;
  readonly told: Promise<Told>;
}

export class Asker {
  readonly #parts: WalkerParts;
  readonly #recent: Question[] = [];
  readonly #pages: ListQuestion[] = [];
  readonly #kept = new Map<string, Kept>();
  steps = 0;

  constructor(parts: WalkerParts) {
    this.#parts = parts;
  }

  get now(): number {
    return this.#parts.clock.wallMs();
  }

  /** Mostly one that was asked before: only what was asked before can be answered from memory. */
  chooseQuestion(): Question {
    const { random, model } = this.#parts;
    const page = random.chance(0.08) ? random.find(this.#pages) : undefined;
    const known = random.chance(0.8) ? random.find(this.#recent) : undefined;
    if (known !== undefined && page === undefined) return known;
    const question = page ?? makeQuestion(random, model, this.now);
    this.#recent.push(question);
    if (this.#recent.length > REMEMBERED_QUESTIONS) this.#recent.shift();
    return question;
  }

  /** One request, which is counted as a step. */
  put(door: Door, line: number, asked: Asked): Promise<Told> {
    this.steps++;
    return this.#putUncounted(door, line, asked);
  }

  async #putUncounted(door: Door, line: number, asked: Asked): Promise<Told> {
    const lines = asked.method === "GET" ? door.plainLines : door.otherLines;
    const told = await lines[line]?.ask(asked);
    if (told === undefined) throw new Error(`There is no line ${line}.`);
    this.#parts.tally.count("status", String(told.status));
    return told;
  }

  /** Sends it, and goes on; `judge` waits for the answer. */
  send(door: Door, line: number, question: Question, access: Access, isPlain = false): Sent {
    const { ring, tally } = this.#parts;
    const refusal = ring.refusalOf(access, permissionOf(question));
    ring.count(access.key, refusal);
    const manner = isPlain ? PLAIN : this.#chooseManner(question);
    tally.count("path", patternOf(question));
    if (manner.isConditional) tally.count("manner", "conditional");
    if (manner.coding !== undefined) tally.count("manner", manner.coding);
    if (manner.method === "HEAD") tally.count("manner", "HEAD");
    const { kept, isConditional, coding, method } = manner;
    const headers = {
      authorization: `Bearer ${access.key.secret}`,
      ...(isConditional && kept !== undefined ? { "if-none-match": kept.tag } : {}),
      ...(coding === undefined ? {} : { "accept-encoding": coding }),
    };
    const told = this.put(door, line, { method, target: targetOf(question), headers });
    return { question, manner, refusal, told };
  }

  /** Asks the same again as soon as it is answered, as often as there is time for; so these are not counted as steps. */
  async askOn(door: Door, line: number, first: Sent, rounds: number, isOver: () => boolean): Promise<Sent[]> {
    const { ring } = this.#parts;
    const chain = [first];
    await first.told;
    while (chain.length < rounds && !isOver()) {
      const sent = this.send(door, line, first.question, ring.accessOf(ring.main), true);
      this.steps--;
      chain.push(sent);
      await sent.told;
    }
    return chain;
  }

  #chooseManner(question: Question): Manner {
    const { random } = this.#parts;
    const kept = this.#kept.get(targetOf(question));
    return {
      method: random.chance(0.05) ? "HEAD" : "GET",
      kept,
      isConditional: kept !== undefined && random.chance(0.4),
      coding: random.chance(0.12) ? random.pick(["br", "gzip"] as const) : undefined,
    };
  }

  /** The answer must be one of these; says which. */
  async judge(sent: Sent, ...expected: readonly [Expected, ...Expected[]]): Promise<number> {
    const { question, manner, refusal } = sent;
    const told = await sent.told;
    const [first, ...rest] = refusal === undefined ? expected : [{ refusal }];
    const verdict = judgeRead(told, first, manner, this.now);
    if (!(verdict instanceof Complaint)) {
      this.#learn(question, first, verdict.kept, verdict.nextCursor);
      return 0;
    }
    for (const [index, other] of rest.entries()) {
      const another = judgeRead(told, other, manner, this.now);
      if (another instanceof Complaint) continue;
      this.#learn(question, other, another.kept, another.nextCursor);
      return index + 1;
    }
    throw this.fault(`${manner.method} ${targetOf(question)}`, verdict);
  }

  expected(question: Question): Expected {
    return answerOf(this.#parts.model, question, this.now);
  }

  /**
   * Before a write that a server may hear of late: has it keep the list. From then on it answers with that until it has heard, so anyone who sees the
   * list changed knows that nothing else of before is answered either; a list that was not kept would show the change sooner.
   */
  async prepareToSee(door: Door, path: ListPath): Promise<void> {
    const question = wholeListOf(path);
    const sent = this.send(door, 0, question, this.#parts.ring.accessOf(this.#parts.ring.main), true);
    this.steps--;
    await this.judge(sent, this.expected(question));
  }

  /**
   * After a write that others made: asks until the list shows it. What it shows until then is what was before, and where the
   * write must be seen at once, it has to be there at the first asking.
   */
  async awaitSeen(door: Door, path: ListPath, before: Expected, isAtOnce: boolean): Promise<void> {
    const { ring, tally } = this.#parts;
    const question = wholeListOf(path);
    const after = this.expected(question);
    const deadline = performance.now() + SEEN_WITHIN_MS;
    for (let asked = 0; ; asked++) {
      const sent = this.send(door, 0, question, ring.accessOf(ring.main), true);
      if (asked > 0) this.steps--;
      if (isAtOnce) return void (await this.judge(sent, after));
      if ((await this.judge(sent, after, before)) === 0) return;
      tally.count("manner", "asked again");
      if (performance.now() > deadline) throw this.fault(`GET ${path}`, new Complaint("does not show it in time"));
      await sleep(ASK_AGAIN_MS);
    }
  }

  /** GET /me. With `before`, what was so before may still be told, until it is not. */
  async describe(door: Door, after: Access, before: Access | undefined): Promise<void> {
    const deadline = performance.now() + SEEN_WITHIN_MS;
    const headers = { authorization: `Bearer ${after.key.secret}` };
    for (let asked = 0; ; asked++) {
      const told = await this.put(door, 0, { method: "GET", target: `${BASE_PATH}/me`, headers });
      if (asked > 0) this.steps--;
      this.#parts.tally.count("path", "/me");
      const complaint = this.#judgeDescription(told, after);
      if (complaint === undefined) return;
      const isAsBefore = before !== undefined && this.#judgeDescription(told, before) === undefined;
      if (!isAsBefore || performance.now() > deadline) throw this.fault("GET /me", complaint);
      this.#parts.tally.count("manner", "asked again");
      await sleep(ASK_AGAIN_MS);
    }
  }

  #judgeDescription(told: Told, access: Access): Complaint | undefined {
    const { ring } = this.#parts;
    const refusal = ring.refusalOf(access, "any");
    ring.count(access.key, refusal);
    const verdict =
      refusal === undefined
        ? judgeRecord(told, 200, ring.describe(access), (data) => ring.comparable(data))
        : judgeRefusal(told, refusal, "GET", this.now);
    if (!(verdict instanceof Complaint)) return undefined;
    ring.uncount(access.key, refusal);
    return verdict;
  }

  #learn(question: Question, expected: Expected, kept: Kept | undefined, nextCursor: string | undefined): void {
    const target = targetOf(question);
    if (kept !== undefined) {
      this.#kept.delete(target);
      this.#kept.set(target, kept);
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > KEPT_ANSWERS_MAX && oldest !== undefined) this.#kept.delete(oldest);
    }
    if (nextCursor === undefined || !("filters" in question) || !("next" in expected) || !expected.next) return;
    this.#pages.push({ ...question, after: { cursor: nextCursor, place: expected.next } });
    if (this.#pages.length > REMEMBERED_PAGES) this.#pages.shift();
  }

  /** With all that is needed to see it again. */
  fault(what: string, complaint: Complaint): Error {
    const at = new Date(this.now).toISOString();
    return new Error(`${this.#parts.name}, step ${this.steps}, at ${at}: ${what}\nThe answer ${complaint.text}`);
  }
}

export function permissionOf({ path }: Question): Permission {
  return `${path.split("/")[1] as "players"}:read`;
}

/** How the answer's endpoint is written in the list of all. */
function patternOf(question: Question): string {
  return "filters" in question ? question.path : question.path.replace(/[^/]+$/, "{id}");
}
