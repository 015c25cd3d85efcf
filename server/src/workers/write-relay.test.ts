import { MessageChannel } from "node:worker_threads";
import { ApiError, bodyError } from "@lineup/api/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MakeWrite, WantedWrite, Written } from "../resources/context.ts";
import { OrganizationGone } from "../store/organization-gone.ts";
import { ThreadLine } from "./thread-line.ts";
import { type NumberedWrite, WriteDesk, type WriteOutcome, WritesByOther } from "./write-relay.ts";

type Asking = { readonly writes: readonly [writes: readonly NumberedWrite[], nothing: unknown] };
type Answering = { readonly written: readonly [outcomes: readonly WriteOutcome[], nothing: unknown] };

let channel: MessageChannel;
let taken: WantedWrite[][];
let told: WriteOutcome[][];
let writes: WritesByOther;
/** What the thread that writes does with the next ones. */
let makeWrite: MakeWrite;
let end: (reason: Error) => void;
let isSomebodyWriting: boolean;
let now: number;
let madeHere: string[];

beforeEach(() => {
  channel = new MessageChannel();
  taken = [];
  told = [];
  const there = new ThreadLine<Asking, Answering>(channel.port1, () => undefined);
  const here = new ThreadLine<Answering, Asking>(channel.port2, () => undefined);
  end = (reason) => there.end(reason);
  const desk = new WriteDesk(
    (wanted) => makeWrite(wanted),
    (outcomes) => {
      told.push([...outcomes]);
      there.tell("written", outcomes);
    },
  );
  there.on("writes", (all) => {
    taken.push([...all]);
    desk.take(all);
  });
  isSomebodyWriting = true;
  now = 1_000;
  madeHere = [];
  writes = new WritesByOther({
    send: (all) => here.tell("writes", all),
    isSomebodyWriting: () => isSomebodyWriting,
    now: () => now,
    makeHere: async ({ id }) => {
      madeHere.push(id);
      return { id, json: "{}" };
    },
  });
  here.on("written", (outcomes) => writes.hear(outcomes));
  makeWrite = async ({ id }) => ({ id, json: `{"id":"${id}"}` });
});
afterEach(() => channel.port1.close());

function wantedOf(id: string): WantedWrite {
  const origin = { kind: "key", id: "key_1", name: "Site", address: "192.0.2.1", requestId: `req_${id}` } as const;
  return {
    name: "createPlayer",
    orgId: "org_1",
    origin,
    id,
    query: {},
    body: { ign: id, stats: { kda: 4.2 }, teamId: null },
  };
}

describe("writes that another thread makes", () => {
  test("go over with those of their turn, and each is answered with what became of it", async () => {
    const ids = ["a", "b", "c", "d"];
    const answers = await Promise.all(ids.map((id) => writes.make(wantedOf(id))));
    expect(answers).toEqual(ids.map((id) => ({ id, json: `{"id":"${id}"}` })));
    expect(taken.length).toBe(1);
    expect(taken[0]).toMatchObject(ids.map(wantedOf));
    expect(told.map((outcomes) => outcomes.length)).toEqual([4]);
    expect((await writes.make(wantedOf("e"))).id).toBe("e");
    expect(taken.length).toBe(2);
  });

  test("are made here where nobody has been writing for a moment", async () => {
    isSomebodyWriting = false;
    expect((await writes.make(wantedOf("a"))).id).toBe("a");
    expect([madeHere, taken]).toEqual([["a"], []]);
    isSomebodyWriting = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    makeWrite = async ({ id }) => {
      await promise;
      return { id, json: "{}" };
    };
    const slow = writes.make(wantedOf("b"));
    isSomebodyWriting = false;
    const next = writes.make(wantedOf("c"));
    now += 500;
    resolve();
    expect((await Promise.all([slow, next])).map(({ id }) => id)).toEqual(["b", "c"]);
    // However long it took: those who have just been answered may all be back in a moment.
    await writes.make(wantedOf("d"));
    expect([madeHere, taken.flat().map(({ id }) => id)]).toEqual([["a"], ["b", "c", "d"]]);
    // One that was answered alone has met nobody.
    now += 21;
    await writes.make(wantedOf("e"));
    expect(madeHere).toEqual(["a", "e"]);
  });

  test("are answered as they end, not as they came, and none waits for another", async () => {
    const first = Promise.withResolvers<Written>();
    makeWrite = async ({ id }) => (id === "slow" ? first.promise : { id, json: "{}" });
    const ended: string[] = [];
    const note = async (id: string) => ended.push((await writes.make(wantedOf(id))).id);
    const all = [note("slow"), note("quick"), note("quicker")];
    await Promise.all(all.slice(1));
    expect(ended).toEqual(["quick", "quicker"]);
    first.resolve({ id: "slow", json: "{}" });
    await all[0];
    expect(ended).toEqual(["quick", "quicker", "slow"]);
  });

  test("are refused in the same words, with every detail", async () => {
    const refusals = [
      new ApiError("NOT_FOUND", "No player has this id."),
      new ApiError("INVALID_ROLE", "The role is none.", { details: [{ field: "role", message: "is none" }] }),
      bodyError([
        { field: "teamId", message: "is not a team" },
        { field: "role", message: "is none" },
      ]),
    ];
    for (const refusal of refusals) {
      makeWrite = () => Promise.reject(refusal);
      const error = await writes.make(wantedOf("a")).catch((one: unknown) => one);
      expect(error).toBeInstanceOf(ApiError);
      const { code, message, details } = error as ApiError;
      expect({ code, message, details }).toEqual({
        code: refusal.code,
        message: refusal.message,
        details: refusal.details,
      });
    }
  });

  test("say that the organization is gone, and of a fault all that the log needs", async () => {
    makeWrite = ({ orgId }) => Promise.reject(new OrganizationGone(orgId));
    const gone = await writes.make(wantedOf("a")).catch((one: unknown) => one);
    expect(gone).toBeInstanceOf(OrganizationGone);
    expect(String(gone)).toContain("org_1");
    const why = Object.assign(new Error("no space left"), { name: "SqliteError" });
    const full = Object.assign(new Error("database or disk is full", { cause: why }), { code: "SQLITE_FULL" });
    makeWrite = () => Promise.reject(full);
    const fault = await writes.make(wantedOf("a")).catch((one: unknown) => one);
    expect(fault).not.toBeInstanceOf(ApiError);
    expect(fault).toMatchObject({ message: full.message, code: "SQLITE_FULL", stack: full.stack });
    expect(Object.keys(fault as Error)).toEqual(["code"]);
    const { cause } = fault as Error;
    expect(cause).toMatchObject({ message: why.message, name: "SqliteError", stack: why.stack });
    // A fault of one, be it thrown at once, leaves the next alone.
    makeWrite = ({ id }) => {
      if (id === "bad") throw new Error("at once");
      return Promise.resolve({ id, json: "{}" });
    };
    const both = await Promise.allSettled([writes.make(wantedOf("bad")), writes.make(wantedOf("good"))]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  test("of a worker that is gone are made to their end, and told to nobody", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const made: string[] = [];
    makeWrite = async ({ id }) => {
      await promise;
      made.push(id);
      return { id, json: "{}" };
    };
    let isTold = false;
    void writes.make(wantedOf("left")).finally(() => {
      isTold = true;
    });
    while (taken.length === 0) await new Promise(setImmediate);
    end(new Error("The thread has ended."));
    resolve();
    while (told.length === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect([made, isTold]).toEqual([["left"], false]);
  });

  test("that cannot be sent are refused, and leave the next alone", async () => {
    const bad = { ...wantedOf("bad"), body: { ign: () => "no data" } };
    await expect(writes.make(bad)).rejects.toThrow("could not be cloned");
    expect((await writes.make(wantedOf("good"))).id).toBe("good");
    makeWrite = async ({ id }) => ({ id, json: (() => "no data") as unknown as string });
    await expect(writes.make(wantedOf("a"))).rejects.toThrow("could not be cloned");
  });
});
