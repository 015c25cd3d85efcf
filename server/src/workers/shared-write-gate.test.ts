import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { SharedWords } from "./shared-words.ts";
import { SharedWriteGate } from "./shared-write-gate.ts";

const SOURCE = (url: string) => `
  import { parentPort, workerData } from "node:worker_threads";
  import { SharedWords } from ${JSON.stringify(new URL("./shared-words.ts", url).href)};
  import { SharedWriteGate } from ${JSON.stringify(new URL("./shared-write-gate.ts", url).href)};
  const { buffer, inside, member, turns } = workerData;
  const gate = new SharedWriteGate(new SharedWords(buffer), member);
  const count = new Int32Array(inside);
  // What waits for an atomic alone does not keep a thread.
  const alive = setInterval(() => {}, 1_000);
  let collisions = 0;
  for (let turn = 0; turn < turns; turn++) {
    await gate.enter();
    if (Atomics.add(count, 0, 1) !== 0) collisions++;
    if (turn % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    Atomics.sub(count, 0, 1);
    Atomics.add(count, 1, 1);
    gate.leave();
  }
  clearInterval(alive);
  parentPort.postMessage(collisions);
`;

function startMember(words: SharedWords, inside: SharedArrayBuffer, member: number, turns: number): Worker {
  const source = new URL(`data:text/javascript,${encodeURIComponent(SOURCE(import.meta.url))}`);
  return new Worker(source, { workerData: { buffer: words.buffer, inside, member, turns } });
}

describe("the gate before the writer", () => {
  test("lets in one thread at a time, and every one of them in the end", async () => {
    const words = new SharedWords();
    const inside = new SharedArrayBuffer(8);
    const threads = [1, 2, 3].map((member) => startMember(words, inside, member, 1_000));
    const collisions = await Promise.all(threads.map(async (thread) => (await once(thread, "message"))[0]));
    expect(collisions).toEqual([0, 0, 0]);
    expect(new Int32Array(inside)[1]).toBe(3_000);
  });

  test("hands on in turn, not to whoever asks loudest", async () => {
    const words = new SharedWords();
    const [one, two, three] = [1, 2, 3].map((member) => new SharedWriteGate(words, member));
    const entered: number[] = [];
    expect(one?.enter()).toBeUndefined();
    const third = three?.enter()?.then(() => entered.push(3));
    const second = two?.enter()?.then(() => entered.push(2));
    one?.leave();
    // It asks again at once, and is behind both.
    const first = one?.enter()?.then(() => entered.push(1));
    await second;
    two?.leave();
    await third;
    three?.leave();
    await first;
    expect(entered).toEqual([2, 3, 1]);
  });

  test("goes on without a thread that died inside, or waiting", async () => {
    const words = new SharedWords();
    const [keeper, one, two, three] = [0, 1, 2, 3].map((member) => new SharedWriteGate(words, member));
    expect(one?.enter()).toBeUndefined();
    void two?.enter();
    const third = three?.enter();
    await keeper?.takeOut(2);
    await keeper?.takeOut(1);
    await third;
    three?.leave();
    expect(keeper?.enter()).toBeUndefined();
  });

  // Each as the words stand after that many steps of a leave, of which every one is atomic.
  test.each<{ after: string; leave: (words: SharedWords) => void }>([
    { after: "it said that it left", leave: ({ gate }) => void Atomics.store(gate.states, 1, 0) },
    {
      after: "it named the next one, before it let it in",
      leave: ({ gate }) => {
        Atomics.store(gate.states, 1, 0);
        Atomics.store(gate.holder, 0, 3);
      },
    },
    {
      after: "it named nobody, before it looked for who came meanwhile",
      leave: ({ gate }) => {
        Atomics.store(gate.states, 1, 0);
        Atomics.store(gate.holder, 0, 0);
      },
    },
  ])("goes on without a thread that died leaving, after $after", async ({ leave }) => {
    const words = new SharedWords();
    const [keeper, one, two, three] = [0, 1, 2, 3].map((member) => new SharedWriteGate(words, member));
    expect(one?.enter()).toBeUndefined();
    const second = two?.enter();
    leave(words);
    await keeper?.takeOut(1);
    // It asks when the mending is over, and waits for the one that was there before.
    const third = three?.enter();
    await second;
    expect(words.gate.holder[0]).toBe(3);
    two?.leave();
    await third;
    three?.leave();
    expect(keeper?.enter()).toBeUndefined();
  });

  test("takes out an idle member without a word to whoever is inside", async () => {
    const words = new SharedWords();
    const [keeper, one] = [0, 1].map((member) => new SharedWriteGate(words, member));
    expect(one?.enter()).toBeUndefined();
    await keeper?.takeOut(2);
    const kept = keeper?.enter();
    expect(kept).toBeInstanceOf(Promise);
    one?.leave();
    await kept;
    expect(words.gate.holder[0]).toBe(1);
  });
});
