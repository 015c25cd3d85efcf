import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { addressVerdict } from "../limits/windows.ts";
import type { Answer } from "./answer.ts";
import { AnswerHeaders } from "./answer-headers.ts";
import { sendWhole } from "./lane-sending.ts";

const VERDICT = addressVerdict(true, { count: 1, decisiveAgeMs: 0 }, Date.now());
const BODY_BYTES = 16_000;
/** More than a system takes for a connection that nobody reads. */
const ANSWERS_MAX = 10_000;

/** Both ends; the client reads nothing until it is told to. */
async function openPair(): Promise<{ readonly client: Socket; readonly served: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  const [served] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    client.destroy();
    served.destroy();
    server.close();
  });
  return { client, served };
}

function send(to: Socket, letter: string): void {
  const answer: Answer = {
    status: 200,
    code: undefined,
    headers: new AnswerHeaders([]),
    body: [letter.repeat(BODY_BYTES)],
    bodyBytes: BODY_BYTES,
  };
  sendWhole(to, answer, `req_${letter}`, VERDICT, "Connection: keep-alive\r\n");
}

async function readAll(from: Socket): Promise<string> {
  let text = "";
  for await (const piece of from.setEncoding("latin1")) text += piece;
  return text;
}

it("sends what it was given, however late it is taken and whatever others are sent meanwhile", async () => {
  const [slow, other] = [await openPair(), await openPair()];
  const letters: string[] = [];
  while (slow.served.writableLength === 0 && letters.length < ANSWERS_MAX) {
    const letter = String.fromCharCode(97 + (letters.length % 26));
    letters.push(letter);
    send(slow.served, letter);
  }
  expect(slow.served.writableLength).toBeGreaterThan(0);
  for (const letter of ["X", "Y", "Z"]) send(other.served, letter);
  slow.served.end();
  other.served.end();
  const bodiesOf = (text: string) =>
    text.match(/(?<=\r\n\r\n)([A-Za-z])\1+(?=HTTP|$)/g)?.map((body) => [body[0], body.length]);
  expect(bodiesOf(await readAll(slow.client))).toEqual(letters.map((letter) => [letter, BODY_BYTES]));
  expect(bodiesOf(await readAll(other.client))).toEqual(["X", "Y", "Z"].map((letter) => [letter, BODY_BYTES]));
});
