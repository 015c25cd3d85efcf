/**
 * Walks through one organization: random reads and writes, each answer held against the model. What it does follows from its random
 * numbers alone. Between two of its actions time may move; while it acts, it stands still.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import type { Store } from "../../src/store/store.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { changeAccess } from "./access-changes.ts";
import { type ApiWrite, makeApiWrite, postPlayer, postProspect } from "./api-writes.ts";
import { Asker, type Door, type Sent, type WalkerParts } from "./asker.ts";
import { Complaint, judgeRecord, judgeRefusal, textOf } from "./judge-answer.ts";
import type { Access, WalkKey } from "./key-ring.ts";
import type { Told } from "./line.ts";
import { type Expected, type ListPath, overAt } from "./model-answers.ts";
import { makePastWrite, type PastWrite, TEAMS_MAX, writeContract, writeEntry, writeTeam } from "./past-writes.ts";
import { wholeListOf } from "./questions.ts";

/** What an action of several requests may need of a key. */
const ROOM = 40;
const RACING = 4;
const RACING_ROUNDS = 6;

const ACTIONS = { read: 72, burst: 6, race: 2, write: 6, past: 5, access: 1.5, me: 3, stranger: 0.3, wrong: 2 };

/** What each is told, in every organization and at all times. */
const WRONG_TARGETS = [
  ["/players?limit=0", "INVALID_PARAMETER"],
  ["/contracts/expiring?days=366", "INVALID_PARAMETER"],
  ["/schedule?status=over", "INVALID_PARAMETER"],
  ["/teams?cursor=WyJwbGF5ZXJzIl0", "INVALID_PARAMETER"],
  ["/contracts/contract_01jb8v6k3ze5xr9m4q7w2t5n8d", "NOT_FOUND"],
  ["/players/none", "NOT_FOUND"],
  ["/rosters", "NOT_FOUND"],
] as const;

export class Walker {
  readonly #parts: WalkerParts;
  readonly #asker: Asker;

  constructor(parts: WalkerParts) {
    this.#parts = parts;
    this.#asker = new Asker(parts);
  }

  get steps(): number {
    return this.#asker.steps;
  }

  /** Fills the organization, through the API where it can. */
  async begin(): Promise<void> {
    const { random, model, ring, doors } = this.#parts;
    for (let left = TEAMS_MAX; left > 0; left--) await this.#writeElsewhere(writeTeam(random, model, this.#now));
    for (let left = 14; left > 0; left--) await this.#write(postPlayer(random, model, this.#now), ring.main, doors[0]);
    for (let left = 8; left > 0; left--) await this.#write(postProspect(random, model, this.#now), ring.main, doors[0]);
    for (let left = 15; left > 0; left--) await this.#writeElsewhere(writeContract(random, model, this.#now));
    for (let left = 15; left > 0; left--) await this.#writeElsewhere(writeEntry(random, model, this.#now));
  }

  async #writeElsewhere(write: PastWrite): Promise<void> {
    await this.#writePast(this.#parts.doors[0], write, this.#parts.elsewhere);
  }

  /** Ends with all of its answers judged. */
  async act(): Promise<void> {
    const { random, ring, tally } = this.#parts;
    // Who has used up its windows waits for time to pass, or for a better tier.
    const hasRoom = ring.roomOf(ring.accessOf(ring.main)) > ROOM;
    const action = hasRoom ? random.weighted(ACTIONS) : random.weighted({ read: 1, access: 1 });
    tally.count("action", action);
    if (action === "burst") await this.#burst();
    else if (action === "race") await this.#race();
    else if (action === "write") await this.#write(makeApiWrite(random, this.#parts.model, this.#now), this.#someKey());
    else if (action === "past") await this.#writePast();
    else if (action === "access" && ring.refusalsLeft >= this.#parts.doors.length) await this.#changeAccess();
    else if (action === "me") await this.#asker.describe(this.#someDoor(), this.#accessOf(this.#someKey()), undefined);
    else if (action === "stranger" && ring.refusalsLeft > 0) await this.#refuse("/players", "INVALID_API_KEY");
    else if (action === "wrong") await this.#refuse(...random.pick<readonly [string, string]>(WRONG_TARGETS));
    else await this.#read();
  }

  /** Moments at which something here changes by itself. */
  moments(): number[] {
    const { model, ring } = this.#parts;
    return [
      ...[...model.contracts.values()].flatMap(({ endDate, status }) => (status === "active" ? [endDate ?? 0] : [])),
      ...[...model.entries.values()].map(overAt),
      ...ring.others.map(({ expiresAt }) => expiresAt ?? 0),
    ];
  }

  async #read(): Promise<void> {
    const question = this.#asker.chooseQuestion();
    const sent = this.#asker.send(this.#someDoor(), 0, question, this.#accessOf(this.#someKey()));
    await this.#asker.judge(sent, this.#asker.expected(question));
  }

  /** Several at the same time, some of them the same. */
  async #burst(): Promise<void> {
    for (const sent of this.#sendSome()) await this.#asker.judge(sent, this.#asker.expected(sent.question));
  }

  #sendSome(door = this.#someDoor()): Sent[] {
    const { ring } = this.#parts;
    return Array.from({ length: RACING }, (_, line) =>
      this.#asker.send(door, line + 1, this.#asker.chooseQuestion(), ring.accessOf(ring.main)),
    );
  }

  /** Questions that meet a write, and are asked again until it is done: each sees it or does not, and from then on all do. */
  async #race(): Promise<void> {
    const { random, ring, model } = this.#parts;
    const door = this.#someDoor();
    const racing = this.#sendSome(door);
    const before = racing.map(({ question }) => this.#asker.expected(question));
    let isWritten = false;
    const answered = Promise.all(
      racing.map((sent, index) => this.#asker.askOn(door, index + 1, sent, RACING_ROUNDS, () => isWritten)),
    );
    if (random.chance(0.7)) await this.#write(makeApiWrite(random, model, this.#now), ring.main, door);
    else await this.#writePast(door);
    isWritten = true;
    for (const [index, chain] of (await answered).entries()) {
      const expected = before[index];
      for (const sent of expected === undefined ? [] : chain) {
        await this.#asker.judge(sent, this.#asker.expected(sent.question), expected as Expected);
      }
    }
    for (const [index, { question }] of racing.entries()) {
      const again = this.#asker.send(door, index + 1, question, ring.accessOf(ring.main));
      await this.#asker.judge(again, this.#asker.expected(question));
    }
  }

  async #write({ method, path, body, plan }: ApiWrite, key: WalkKey, door = this.#someDoor()): Promise<void> {
    const { ring } = this.#parts;
    const kind = path.split("/")[1] as "players" | "prospects";
    const refusal = ring.refusalOf(ring.accessOf(key), `${kind}:write`);
    ring.count(key, refusal);
    const before = this.#asker.expected(wholeListOf(`/${kind}`));
    await this.#prepareElsewhere(door, `/${kind}`);
    const planned = plan(this.#now);
    const headers = { authorization: `Bearer ${key.secret}` };
    const asked = { method, target: BASE_PATH + path, headers, body: JSON.stringify(body) };
    const told = await this.#asker.put(door, 0, asked);
    this.#parts.tally.count("path", `${method} /${kind}`);
    const refused = refusal ?? ("refusal" in planned ? planned.refusal : undefined);
    if (refused !== undefined || "refusal" in planned) {
      this.#insist(asked, judgeRefusal(told, refused ?? "", method, this.#now));
      return;
    }
    const expectedStatus = method === "POST" ? 201 : 200;
    const id = told.status === expectedStatus ? idOf(told) : "";
    this.#insist(asked, judgeRecord(told, expectedStatus, planned.commit(id)));
    await this.#learnAssignmentIds();
    await this.#awaitElsewhere(door, `/${kind}`, before);
  }

  /** Through the server's own store, as the dashboard does, or through another, as a command does. */
  async #writePast(
    door = this.#someDoor(),
    write = makePastWrite(this.#parts.random, this.#parts.model, this.#now),
    store = this.#someStore(door),
  ): Promise<void> {
    const { random, seesAtOnce } = this.#parts;
    const before = this.#asker.expected(wholeListOf(write.shownBy));
    // Where it must be seen at once, any question may be the first to see it.
    const isAtOnce = seesAtOnce || store === door.store;
    if (!isAtOnce) await this.#asker.prepareToSee(door, write.shownBy);
    await this.#prepareElsewhere(door, write.shownBy);
    await store.writeOrg(this.#parts.ring.orgId, TEST_ORIGIN, (org) => write.write(org));
    write.commit();
    this.#asker.steps++;
    if (!isAtOnce || random.chance(0.3)) await this.#asker.awaitSeen(door, write.shownBy, before, isAtOnce);
    await this.#awaitElsewhere(door, write.shownBy, before);
  }

  async #prepareElsewhere(door: Door, path: ListPath): Promise<void> {
    for (const other of this.#parts.doors) if (other !== door) await this.#asker.prepareToSee(other, path);
  }

  async #awaitElsewhere(door: Door, path: ListPath, before: ReturnType<Asker["expected"]>): Promise<void> {
    for (const other of this.#parts.doors) if (other !== door) await this.#asker.awaitSeen(other, path, before, false);
  }

  async #changeAccess(): Promise<void> {
    const { random, ring, seesAtOnce, tiers, doors } = this.#parts;
    const store = this.#someStore(this.#someDoor());
    const { before, after } = await changeAccess(random, ring, store, this.#now, tiers);
    this.#asker.steps++;
    for (const one of doors) {
      const isAtOnce = seesAtOnce || store === one.store;
      await this.#asker.describe(one, after, isAtOnce ? undefined : before);
    }
  }

  async #refuse(path: string, refusal: string): Promise<void> {
    const { ring } = this.#parts;
    const isStranger = refusal === "INVALID_API_KEY";
    ring.count(isStranger ? undefined : ring.main, refusal);
    const authorization = isStranger ? "Bearer of bad news" : `Bearer ${ring.main.secret}`;
    const asked = { method: "GET", target: BASE_PATH + path, headers: { authorization } } as const;
    const told = await this.#asker.put(this.#someDoor(), 0, asked);
    this.#insist(asked, judgeRefusal(told, refusal, "GET", this.#now));
  }

  /** The server does not say with a player which roster entry was opened; the store does. */
  async #learnAssignmentIds(): Promise<void> {
    const { model, elsewhere, ring } = this.#parts;
    for (const one of model.assignments) {
      if (one.id !== undefined) continue;
      const row = await elsewhere
        .org(ring.orgId)
        .selectFrom("assignments")
        .select("assignments.id")
        .where("assignments.player_id", "=", one.playerId)
        .where("assignments.left_at", "is", null)
        .executeTakeFirst();
      one.id = row?.id;
    }
  }

  #insist({ method, target }: { readonly method: string; readonly target: string }, verdict: unknown): void {
    if (verdict instanceof Complaint) throw this.#asker.fault(`${method} ${target}`, verdict);
  }

  #accessOf(key: WalkKey): Access {
    return this.#parts.ring.accessOf(key);
  }

  /** Mostly the one that may do everything; one that opens nothing any more only while the address is not refused for it. */
  #someKey(): WalkKey {
    const { random, ring } = this.#parts;
    const other = random.chance(0.2) ? random.find(ring.others) : undefined;
    return other === undefined || ring.roomOf(ring.accessOf(other)) <= 0 ? ring.main : other;
  }

  #someStore(door: Door): Store {
    return this.#parts.random.chance(0.3) ? door.store : this.#parts.elsewhere;
  }

  #someDoor(): Door {
    return this.#parts.random.pick(this.#parts.doors);
  }

  get #now(): number {
    return this.#asker.now;
  }
}

function idOf(told: Told): string {
  return JSON.parse(textOf(told)).data.id;
}
