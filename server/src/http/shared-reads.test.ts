import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { readShared } from "./shared-reads.ts";

let server: Server | undefined;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server?.close();
});

/** Both ends of as many connections as are wanted, the accepted ones first. */
async function makePairs(count: number): Promise<[Socket, Socket][]> {
  server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pairs: [Socket, Socket][] = [];
  for (let left = count; left > 0; left--) {
    const accepted = once(server, "connection");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    clients.push(client);
    const [socket] = (await accepted) as [Socket];
    pairs.push([socket, client]);
  }
  return pairs;
}

/** What has come, as it was when it came, and the memory it came in. */
class Heard {
  readonly texts: string[] = [];
  readonly memory = new Set<ArrayBufferLike>();
  #wake: (() => void) | undefined;

  readonly take = (chunk: Buffer): void => {
    this.texts.push(chunk.toString("latin1"));
    this.memory.add(chunk.buffer);
    this.#wake?.();
  };

  async until(text: string): Promise<void> {
    while (!this.texts.join("").endsWith(text)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

it("reads all connections into the same memory, on the Node that is pinned", async () => {
  const pairs = await makePairs(3);
  const heard = pairs.map(() => new Heard());
  for (const [index, [socket]] of pairs.entries()) readShared(socket, (heard[index] as Heard).take);
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      pairs.map(async ([, client], index) => {
        client.write(`${index} says ${round};`);
        await heard[index]?.until(`${index} says ${round};`);
      }),
    );
  }
  expect(new Set(heard.flatMap(({ memory }) => [...memory])).size).toBe(1);
});

it("says when the other side has ended, and answers it still", async () => {
  const [[socket, client] = []] = await makePairs(1);
  if (socket === undefined || client === undefined) throw new Error("There is a pair.");
  const heard = new Heard();
  readShared(socket, heard.take);
  const ended = once(socket, "end");
  client.end("the last word");
  await ended;
  expect(heard.texts.join("")).toBe("the last word");
  const answer = once(client, "data");
  socket.end("heard");
  expect(String((await answer)[0])).toBe("heard");
});

it("reads nothing while it is paused", async () => {
  const [[socket, client] = [], [other, witness] = []] = await makePairs(2);
  if (socket === undefined || client === undefined || other === undefined || witness === undefined) throw new Error();
  const heard = new Heard();
  readShared(socket, (chunk) => {
    heard.take(chunk);
    socket.pause();
  });
  const seen = new Heard();
  readShared(other, seen.take);
  client.write("one");
  await heard.until("one");
  client.write("two");
  witness.write("after it");
  await seen.until("after it");
  expect(heard.texts).toEqual(["one"]);
  socket.resume();
  await heard.until("two");
});

it("gives the connection back, with memory of its own", async () => {
  const [[socket, client] = []] = await makePairs(1);
  if (socket === undefined || client === undefined) throw new Error("There is a pair.");
  const before = new Heard();
  const stop = readShared(socket, before.take);
  client.write("shared");
  await before.until("shared");
  stop();
  const after = new Heard();
  socket.on("data", after.take);
  client.write("own");
  await after.until("own");
  // More than a socket takes before it is read, so that it has to be stopped and started.
  const large = "x".repeat(1_000_000);
  client.write(`${large}.`);
  await after.until(".");
  expect(after.texts.join("")).toBe(`own${large}.`);
  expect(before.texts).toEqual(["shared"]);
  expect(after.memory.has([...before.memory][0] as ArrayBufferLike)).toBe(false);
});
