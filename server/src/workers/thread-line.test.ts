import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { ThreadLine } from "./thread-line.ts";

type Says = { readonly greet: readonly [name: string, answer: string] };

const { port1, port2 } = new MessageChannel();
afterEach(() => port1.close());

test("a fault in what was told ends nobody, is told with its topic, and whoever asks next is answered", async () => {
  const faults: unknown[][] = [];
  const hearing = new ThreadLine<Says, Says>(port1, (error, topic) => faults.push([error, topic]));
  const saying = new ThreadLine<Says, Says>(port2, () => undefined);
  const fault = new Error("Nobody of that name.");
  hearing.on("greet", (name) => {
    if (name === "") throw fault;
    return `Hello ${name}`;
  });
  saying.tell("greet", "");
  expect(await saying.ask("greet", "Ann", 10_000)).toBe("Hello Ann");
  expect(faults).toEqual([[fault, "greet"]]);
  await expect(saying.ask("greet", "", 10_000)).rejects.toThrow(fault.message);
  expect(faults.length).toBe(1);
  port1.close();
  await once(port2, "close");
});

test("what is given away with a question arrives whole, and is no longer the asker's", async () => {
  type Sums = { readonly add: readonly [numbers: Uint8Array<ArrayBuffer>, sum: number] };
  const channel = new MessageChannel();
  const hearing = new ThreadLine<Sums, Sums>(channel.port1, () => undefined);
  const saying = new ThreadLine<Sums, Sums>(channel.port2, () => undefined);
  hearing.on("add", (numbers) => numbers.reduce((sum, one) => sum + one, 0));
  const numbers = Uint8Array.of(1, 2, 3);
  expect(await saying.ask("add", numbers, 10_000, [numbers.buffer])).toBe(6);
  expect(numbers.length).toBe(0);
  channel.port1.close();
  await once(channel.port2, "close");
});
