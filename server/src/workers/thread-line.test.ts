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
