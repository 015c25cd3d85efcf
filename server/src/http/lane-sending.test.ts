import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { makeSelfSigned } from "../../test/hostile/self-signed.ts";
import { addressVerdict } from "../limits/windows.ts";
import type { Answer } from "./answer.ts";
import { type Outgoing, TOGETHER_MAX_BYTES } from "./answer-bytes.ts";
import { AnswerHeaders } from "./answer-headers.ts";
import { sendInChunks, sendWhole } from "./lane-sending.ts";

const VERDICT = addressVerdict(true, { count: 1, decisiveAgeMs: 0 }, Date.now());
const SMALL_BYTES = 15_000;
const LARGE_BYTES = 2 * TOGETHER_MAX_BYTES;
/** Far more than a system takes for a connection that nobody reads. */
const ANSWERS_MAX = 10_000;

interface Pair {
  readonly client: Socket;
  readonly served: Socket;
}

const OPEN = {
  plain: async (): Promise<Pair> => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [served] = (await once(server, "connection")) as [Socket];
    onTestFinished(() => void server.close());
    return { client, served };
  },
  TLS: async (): Promise<Pair> => {
    const pair = makeSelfSigned(1_000);
    const server = createTlsServer(pair).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connectTls((server.address() as AddressInfo).port, "127.0.0.1", { ca: pair.cert });
    const [served] = (await once(server, "secureConnection")) as [Socket];
    onTestFinished(() => void server.close());
    return { client, served };
  },
};

/** The client reads nothing until it is told to. */
async function openPair(transport: keyof typeof OPEN): Promise<Pair> {
  const pair = await OPEN[transport]();
  pair.client.pause();
  onTestFinished(() => {
    pair.client.destroy();
    pair.served.destroy();
  });
  return pair;
}

function answerOf(body: readonly (string | Buffer)[]): Answer {
  const bodyBytes = body.reduce((sum, part) => sum + part.length, 0);
  return { status: 200, code: undefined, headers: new AnswerHeaders([]), body, bodyBytes };
}

function outgoingOf(answer: Answer, letter: string): Outgoing {
  return { answer, requestId: `req_${letter}`, verdict: VERDICT, connectionLines: "Connection: keep-alive\r\n" };
}

/** Each answer bears its letter in its head and is made of nothing else. */
const SEND = {
  small: async (to: Socket, letter: string) =>
    sendWhole(to, outgoingOf(answerOf([letter.repeat(SMALL_BYTES)]), letter), Date.now()),
  large: async (to: Socket, letter: string) =>
    sendWhole(to, outgoingOf(answerOf([Buffer.alloc(LARGE_BYTES, letter)]), letter), Date.now()),
  streamed: (to: Socket, letter: string) => {
    async function* parts() {
      yield Buffer.alloc(SMALL_BYTES, letter);
    }
    const answer = { ...answerOf([]), stream: parts() };
    return sendInChunks(to, outgoingOf(answer, letter), answer.stream, Date.now());
  },
};

const BYTES = { small: SMALL_BYTES, large: LARGE_BYTES, streamed: SMALL_BYTES };
const ANSWER =
  /HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)*X-Request-Id: req_(.)\r\n(?:[^\r\n]+\r\n)*\r\n(?:[0-9a-f]+\r\n)?((.)\3*)(?:\r\n0\r\n\r\n)?(?=HTTP|$)/g;

async function readAnswers(from: Socket): Promise<(string | number | undefined)[][]> {
  let text = "";
  for await (const piece of from.setEncoding("latin1")) text += piece;
  return [...text.matchAll(ANSWER)].map(([, id, body, letter]) => [id, letter, body?.length]);
}

it.each(
  (["plain", "TLS"] as const).flatMap((transport) =>
    (["small", "large", "streamed"] as const).map((size) => [size, transport] as const),
  ),
)(
  "sends a %s answer as it was, however late it is taken over %s and whatever others are sent meanwhile",
  async (size, transport) => {
    const [slow, other] = [await openPair(transport), await openPair(transport)];
    const sent: string[] = [];
    while (slow.served.writableLength < LARGE_BYTES && sent.length < ANSWERS_MAX) {
      const letter = String.fromCharCode(97 + (sent.length % 26));
      sent.push(letter);
      await SEND.small(slow.served, letter);
    }
    expect(slow.served.writableLength).toBeGreaterThan(0);
    const sending = SEND[size](slow.served, "Q");
    for (const letter of ["X", "Y", "Z"]) await SEND.small(other.served, letter);
    const reading = [readAnswers(slow.client), readAnswers(other.client)];
    await sending;
    slow.served.end();
    other.served.end();
    const [slowly, others] = await Promise.all(reading);
    expect(slowly).toEqual([...sent.map((letter) => [letter, letter, SMALL_BYTES]), ["Q", "Q", BYTES[size]]]);
    expect(others).toEqual(["X", "Y", "Z"].map((letter) => [letter, letter, SMALL_BYTES]));
  },
);

it("frees the bytes of an answer that nobody else has as soon as they have left, and sends every one of them", async () => {
  const { client, served } = await openPair("plain");
  const body = Buffer.alloc(LARGE_BYTES, "a");
  sendWhole(served, outgoingOf({ ...answerOf([body]), isOwn: true }, "a"), Date.now());
  expect(served.writableLength).toBe(0);
  expect(body).toHaveLength(0);
  // What is put where they were is not what the client gets.
  Buffer.alloc(LARGE_BYTES, "b");
  served.end();
  const text = (await client.resume().toArray()).join("");
  expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe("a".repeat(LARGE_BYTES));
});

it("frees nothing that others have", async () => {
  const { served } = await openPair("plain");
  const body = Buffer.alloc(LARGE_BYTES, "a");
  sendWhole(served, outgoingOf(answerOf([body]), "a"), Date.now());
  expect(body).toHaveLength(LARGE_BYTES);
});

it("frees nothing that has not left yet", async () => {
  const { served } = await openPair("plain");
  const bodies: Buffer[] = [];
  while (served.writableLength === 0 && bodies.length < ANSWERS_MAX) {
    bodies.push(Buffer.alloc(LARGE_BYTES, "a"));
    sendWhole(served, outgoingOf({ ...answerOf(bodies.slice(-1)), isOwn: true }, "a"), Date.now());
  }
  expect(bodies.at(-1)).toHaveLength(LARGE_BYTES);
  expect(bodies.at(-2)).toHaveLength(0);
});

it("frees nothing of what is yet to be encrypted", async () => {
  const { served } = await openPair("TLS");
  const body = Buffer.alloc(LARGE_BYTES, "a");
  sendWhole(served, outgoingOf({ ...answerOf([body]), isOwn: true }, "a"), Date.now());
  expect(body).toHaveLength(LARGE_BYTES);
});
