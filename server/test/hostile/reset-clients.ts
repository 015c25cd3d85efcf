/**
 * Clients that send something and then reset their connection, beside others who are served throughout. What is sent is every message of the
 * hostile corpus and every kind of request; it goes over TCP or TLS, as the first of its connection or behind a request that was answered, and is reset at once or later.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { BODIES } from "./corpus-bodies.ts";
import { FRAMING } from "./corpus-framing.ts";
import { HEADS } from "./corpus-heads.ts";
import { TARGETS } from "./corpus-targets.ts";
import { AUTHORIZATION, getWith, HOST, PLAIN_GET, postWith } from "./hostile-case.ts";
import { RawConnection } from "./raw-connection.ts";

const BODY = '{"ign":"Gone","role":"Player"}';

/** Bytes as Latin-1, with `{KEY}` for a valid key. */
const KINDS: readonly string[] = [
  "CONNECT a:1 HTTP/1.1\r\n\r\n",
  `CONNECT a:1 HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`,
  `CONNECT a:1 HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\n12345`,
  `CONNECT a:1 HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\n12345 and more`,
  `CONNECT a:1 HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\n123`,
  `${PLAIN_GET}CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`,
  getWith("Connection: Upgrade\r\nUpgrade: websocket\r\n"),
  getWith("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
  postWith("Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 10\r\n", "{"),
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  postWith(`Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`, ""),
  postWith(`Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n`, BODY),
  getWith("Expect: something\r\n"),
  postWith("Transfer-Encoding: chunked\r\n", "5\r\n{"),
  postWith("Transfer-Encoding: chunked\r\n", `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`),
  PLAIN_GET.repeat(5),
  postWith(`Content-Length: ${BODY.length}\r\n`, BODY) + PLAIN_GET,
  PLAIN_GET.slice(0, 20),
  PLAIN_GET + PLAIN_GET.slice(0, 20),
  postWith("Content-Length: 400\r\n", BODY),
  postWith("Content-Length: 300000\r\n", " ".repeat(300_000)),
  "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n",
  "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n",
  "",
];

export const MESSAGES: readonly string[] = [
  ...KINDS,
  ...[HEADS, FRAMING, TARGETS, BODIES]
    .flat()
    .map(({ bytes }) => Buffer.from(bytes as string, "latin1").toString("latin1")),
];

/** The beginning of a handshake that says it is longer. */
const HALF_HELLO = Buffer.from("16030102000100 01fc0303".replaceAll(" ", ""), "hex");

export type Way = (typeof WAYS)[number];
export const WAYS = (["tcp", "tls"] as const).flatMap((transport) =>
  [true, false].flatMap((isFirst) => [0, 5, 50].map((afterMs) => ({ transport, isFirst, afterMs }))),
);

export interface ResetTargets {
  /** Ports of servers on this machine. */
  readonly ports: Readonly<Record<Way["transport"], number>>;
  readonly keys: readonly string[];
}

/** Sends one message in one way, and resets the connection. */
export async function sendAndReset(
  { ports, keys }: ResetTargets,
  message: string,
  way: Way,
  turn: number,
): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port: ports[way.transport], noDelay: true });
  socket.on("error", () => {});
  await once(socket, "connect");
  const key = keys[turn % keys.length] ?? "";
  const fill = (text: string) => Buffer.from(text.replaceAll("{KEY}", key), "latin1");
  const stream = way.transport === "tcp" ? socket : await shakeHands(socket, turn);
  if (stream !== undefined) {
    const connection = new RawConnection(stream);
    if (!way.isFirst) {
      connection.send(fill(PLAIN_GET));
      await connection.readAnswer({ timeoutMs: 60_000 });
    }
    connection.send(fill(message));
  }
  if (way.afterMs > 0) await sleep(way.afterMs);
  socket.resetAndDestroy();
}

/** Every sixth handshake is cut off: after half a greeting, after a whole one, or after bytes that are none. Undefined then. */
async function shakeHands(socket: Socket, turn: number): Promise<Socket | undefined> {
  if (turn % 18 === 0) socket.write(HALF_HELLO);
  else if (turn % 18 === 6) socket.write("CONNECT a:1 HTTP/1.1\r\n\r\n");
  else {
    const secure = connectTls({ socket, rejectUnauthorized: false });
    secure.on("error", () => {});
    if (turn % 18 === 12) return undefined;
    await once(secure, "secureConnect");
    return secure;
  }
  return undefined;
}

/** Asks for `/me` over one connection, again and again; whatever is not a 200 is thrown. Returns how often, once it is told to end. */
export async function askThroughout(connection: RawConnection, key: string, isOver: () => boolean): Promise<number> {
  let answered = 0;
  for (; !isOver(); answered++) {
    connection.send(PLAIN_GET.replace("{KEY}", key));
    const { status } = await connection.readAnswer({ timeoutMs: 60_000 });
    if (status !== 200) throw new Error(`A client beside those that reset was answered ${status}.`);
    // Under a thousand a minute, which is what its key may.
    await sleep(70);
  }
  connection.close();
  return answered;
}
