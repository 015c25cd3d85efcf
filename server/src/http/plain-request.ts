/**
 * Reads requests that are as plain as nearly every one is: come whole in one piece, with a path of the API, and headers that mean nothing
 * here or only what is known to be meant. Whatever differs in the least, in its grammar, a header that is not in the
 * list, one that stands twice, is not read here but by Node's own parser; so a mistake that is not made here cannot be made.
 */
import type { Socket } from "node:net";
import { KEY_PREFIX, KEY_RANDOM_LENGTH } from "../access/key-format.ts";
import { findPlainTarget } from "./plain-target.ts";
import { RepeatedHead } from "./repeated-head.ts";
import { isHost, type RequestHead, type Target } from "./request-head.ts";

/** Longer ones are rare, and Node knows how to bound them. */
const HEAD_MAX_BYTES = 4_096;
/** A write is longer by its body. */
const WRITE_MAX_BYTES = 16 * 1_024;
const REQUEST_LINE = /^GET [!-~]+ HTTP\/1\.1$/;
const WRITE_LINE = /^(POST|PATCH) ([!-~]+) HTTP\/1\.1$/;
const BODY_LENGTH = /^[1-9]\d{0,5}$/;
const HEAD_END = "\r\n\r\n";
/** Printable ASCII throughout, one space where one belongs and no other at either end of a value, lines that end as they should. */
const HEADERS = /^(?:[!-9;-~]+: [!-~](?:[ -~]*[!-~])?\r\n)+\r\n$/;
const BEFORE_TARGET = "GET ".length;
const AFTER_TARGET = " HTTP/1.1".length;
const G = 0x47;
const P = 0x50;

type ReadName = keyof PlainHeaders;

/** The headers that anything here depends on. */
class PlainHeaders {
  authorization: string | undefined = undefined;
  host: string | undefined = undefined;
  connection: string | undefined = undefined;
  "accept-encoding": string | undefined = undefined;
  "content-length": string | undefined = undefined;
  "content-type": string | undefined = undefined;
  "if-none-match": string | undefined = undefined;
  "user-agent": string | undefined = undefined;
  "x-forwarded-for": string | undefined = undefined;
  "x-forwarded-host": string | undefined = undefined;
  "x-forwarded-proto": string | undefined = undefined;
}

/** Those that clients and proxies send and that change nothing about the answer. None of them frames a message. */
const IGNORED = [
  "accept",
  "accept-charset",
  "accept-language",
  "cache-control",
  "cdn-loop",
  "cf-connecting-ip",
  "cf-ipcountry",
  "cf-ray",
  "cf-visitor",
  "cookie",
  "dnt",
  "forwarded",
  "from",
  "if-modified-since",
  "origin",
  "pragma",
  "priority",
  "referer",
  "sec-ch-ua",
  "sec-ch-ua-mobile",
  "sec-ch-ua-platform",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-fetch-user",
  "sec-gpc",
  "traceparent",
  "tracestate",
  "via",
  "x-correlation-id",
  "x-forwarded-port",
  "x-forwarded-server",
  "x-real-ip",
  "x-request-id",
  "x-requested-with",
];

/** By every spelling that is usual; the others are found in small letters. */
const NAMES = new Map<string, ReadName | "ignored">();
for (const name of Object.keys(new PlainHeaders()) as ReadName[]) addName(name, name);
for (const name of IGNORED) addName(name, "ignored");

function addName(name: string, meaning: ReadName | "ignored"): void {
  NAMES.set(name, meaning);
  NAMES.set(
    name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    meaning,
  );
}

export interface FoundRequest {
  readonly request: RequestHead;
  readonly target: Target;
  /** All of it, where the request is a write. */
  readonly body?: Buffer;
}

/** What a connection said last, for it is likely to say the same again but for its key: that is not kept, and all else is. */
interface Remembered {
  /** From the end of the request line on; where the random part of the key was there is nothing. */
  readonly bytes: Buffer;
  /** Where in them that was. */
  readonly keyAt: number;
  readonly headers: PlainHeaders;
}

/** Reads the requests of one connection. One is read when the one before it is answered, so all may share their headers. */
export class PlainReader {
  readonly #socket: Socket;
  readonly #repeated = new RepeatedHead();
  #remembered: Remembered | undefined;
  /** How many in a row were not what was remembered. */
  #misses = 0;
  #line: Buffer = NOTHING;
  #url = "";
  #target: Target | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Undefined for whatever is not plain. Keeps nothing of the chunk itself. `words` is the memory of the chunk from its beginning on,
   * where it can be had four bytes at a time.
   */
  read(chunk: Buffer, words?: Int32Array): FoundRequest | undefined {
    if (chunk[0] === P) return readWrite(chunk, this.#socket);
    if (chunk.length > HEAD_MAX_BYTES || chunk[0] !== G) return undefined;
    const headers = (words && this.#repeat(chunk, words)) ?? this.#readHead(chunk);
    const target = this.#target;
    if (headers === undefined || target === undefined) return undefined;
    return { request: { method: "GET", url: this.#url, headers, socket: this.#socket }, target };
  }

  /** To be called when the request is answered: its key has no business here any more. */
  forgetKey(): void {
    if (this.#remembered !== undefined) this.#remembered.headers.authorization = undefined;
  }

  /** The very same as before, but for its key. */
  #repeat(chunk: Buffer, words: Int32Array): PlainHeaders | undefined {
    const keyStart = this.#repeated.findKey(chunk, words);
    const headers = this.#remembered?.headers;
    if (keyStart < 0 || headers === undefined || !isRandomPart(chunk, keyStart)) return undefined;
    this.#misses = 0;
    headers.authorization = authorizationIn(chunk, keyStart);
    return headers;
  }

  #readHead(chunk: Buffer): PlainHeaders | undefined {
    // Until all of this is read, what is remembered belongs to no one request.
    this.#repeated.forget();
    const lineEnd = findLineEnd(chunk);
    if (lineEnd < 0) return undefined;
    const headers = this.#recognize(chunk, lineEnd) ?? this.#readHeaders(chunk, lineEnd);
    if (headers === undefined || !this.#readLine(chunk, lineEnd)) return undefined;
    if (this.#remembered !== undefined) this.#repeated.note(chunk, lineEnd + this.#remembered.keyAt);
    return headers;
  }

  #readLine(chunk: Buffer, lineEnd: number): boolean {
    if (lineEnd === this.#line.length && isSame(chunk, 0, this.#line, 0, lineEnd)) return true;
    const line = chunk.toString("latin1", 0, lineEnd);
    if (!REQUEST_LINE.test(line) || line.includes(KEY_PREFIX)) return false;
    const url = line.slice(BEFORE_TARGET, -AFTER_TARGET);
    const target = findPlainTarget("GET", url);
    if (target === undefined || url.includes("#")) return false;
    this.#line = copyOf(chunk, 0, lineEnd);
    this.#url = url;
    this.#target = target;
    return true;
  }

  /** By its bytes: to make a text of them first takes longer than to look at each. */
  #recognize(chunk: Buffer, lineEnd: number): PlainHeaders | undefined {
    const known = this.#remembered;
    if (known === undefined) return undefined;
    const { bytes, keyAt, headers } = known;
    if (chunk.length !== lineEnd + bytes.length) return undefined;
    const keyStart = lineEnd + keyAt;
    const keyEnd = keyStart + KEY_RANDOM_LENGTH;
    const isKnown =
      isSame(chunk, lineEnd, bytes, 0, keyAt) &&
      isSame(chunk, keyEnd, bytes, keyAt + KEY_RANDOM_LENGTH, chunk.length - keyEnd);
    if (!isKnown || !isRandomPart(chunk, keyStart)) return undefined;
    this.#misses = 0;
    headers.authorization = authorizationIn(chunk, keyStart);
    return headers;
  }

  #readHeaders(chunk: Buffer, lineEnd: number): PlainHeaders | undefined {
    const text = chunk.toString("latin1");
    if (!HEADERS.test(text.slice(lineEnd + 2))) return undefined;
    const headers = readHeaders(text, chunk, lineEnd + 2);
    if (headers?.["content-length"] !== undefined) return undefined;
    // Behind a proxy that says who each client is, no two are alike, and to remember them is wasted.
    const isWorth = this.#misses < MISSES_MAX || this.#misses % TRIED_AGAIN_EVERY === 0;
    this.#misses++;
    this.#remembered = headers && isWorth ? remember(text, chunk, lineEnd, headers) : undefined;
    return headers;
  }
}

const MISSES_MAX = 4;
const TRIED_AGAIN_EVERY = 32;
const NOTHING = Buffer.alloc(0);
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const BEFORE_KEY = `Bearer ${KEY_PREFIX}`;

function findLineEnd(chunk: Buffer): number {
  for (let at = 0; at < chunk.length - 1; at++) {
    if (chunk[at] === CARRIAGE_RETURN && chunk[at + 1] === LINE_FEED) return at;
  }
  return -1;
}

function isSame(one: Buffer, oneAt: number, other: Buffer, otherAt: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (one[oneAt + at] !== other[otherAt + at]) return false;
  return true;
}

function remember(text: string, chunk: Buffer, lineEnd: number, headers: PlainHeaders): Remembered | undefined {
  const start = text.indexOf(BEFORE_KEY, lineEnd);
  if (start < 0 || headers.authorization?.length !== BEFORE_KEY.length + KEY_RANDOM_LENGTH) return undefined;
  const keyStart = start + BEFORE_KEY.length;
  const keyEnd = keyStart + KEY_RANDOM_LENGTH;
  // Another header may hold such a text as well. Then nothing is remembered, for it would be with a key in it.
  if (chunk.toString("latin1", start, keyEnd) !== headers.authorization || !isRandomPart(chunk, keyStart)) {
    return undefined;
  }
  const isOnlyKey = text.indexOf(KEY_PREFIX) === keyStart - KEY_PREFIX.length && !text.includes(KEY_PREFIX, keyEnd);
  if (!isOnlyKey) return undefined;
  const keyAt = keyStart - lineEnd;
  const bytes = copyOf(chunk, lineEnd, chunk.length).fill(0, keyAt, keyAt + KEY_RANDOM_LENGTH);
  return { bytes, keyAt, headers: Object.assign(new PlainHeaders(), headers) };
}

function authorizationIn(chunk: Buffer, keyStart: number): string {
  return chunk.toString("latin1", keyStart - BEFORE_KEY.length, keyStart + KEY_RANDOM_LENGTH);
}

/** In memory of its own: in a piece that is shared, it would keep what others have left there, keys among it. */
function copyOf(chunk: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start);
  chunk.copy(copy, 0, start, end);
  return copy;
}

/** Digits and letters alone, so that nothing that is part of HTTP itself can hide in it. */
function isRandomPart(chunk: Buffer, start: number): boolean {
  for (let at = start; at < start + KEY_RANDOM_LENGTH; at++) if (IS_RANDOM[chunk[at] as number] !== 1) return false;
  return true;
}

const IS_RANDOM = new Uint8Array(256);
for (const character of Buffer.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
  IS_RANDOM[character] = 1;
}

/** Not remembered: what a write costs beside, reading its head again hardly adds to. */
function readWrite(chunk: Buffer, socket: Socket): FoundRequest | undefined {
  if (chunk.length > WRITE_MAX_BYTES) return undefined;
  const headLength = chunk.indexOf(HEAD_END) + HEAD_END.length;
  if (headLength < HEAD_END.length || headLength > HEAD_MAX_BYTES) return undefined;
  const text = chunk.toString("latin1", 0, headLength);
  const lineEnd = text.indexOf("\r\n");
  const [, method, url = ""] = WRITE_LINE.exec(chunk.toString("latin1", 0, lineEnd)) ?? [];
  const target = findPlainTarget(method, url);
  if (target === undefined || url.includes("#") || url.includes(KEY_PREFIX)) return undefined;
  const headers = HEADERS.test(text.slice(lineEnd + 2)) ? readHeaders(text, chunk, lineEnd + 2) : undefined;
  const length = headers?.["content-length"];
  if (headers === undefined || length === undefined || !BODY_LENGTH.test(length)) return undefined;
  if (Number(length) !== chunk.length - headLength) return undefined;
  // A copy: it may have to wait, and what was read is good only for now.
  return { request: { method, url, headers, socket }, target, body: Buffer.from(chunk.subarray(headLength)) };
}

function readHeaders(text: string, chunk: Buffer, start: number): PlainHeaders | undefined {
  const headers = new PlainHeaders();
  for (let at = start; at < text.length - 2; ) {
    const colon = text.indexOf(":", at);
    const end = text.indexOf("\r\n", colon);
    const name = text.slice(at, colon);
    const meaning = NAMES.get(name) ?? NAMES.get(name.toLowerCase());
    if (meaning === undefined) return undefined;
    if (meaning !== "ignored") {
      if (headers[meaning] !== undefined) return undefined;
      headers[meaning] = chunk.toString("latin1", colon + 2, end);
    }
    at = end + 2;
  }
  const { host, connection } = headers;
  const stays = connection === undefined || connection.toLowerCase() === "keep-alive";
  return stays && host !== undefined && isHost(host) ? headers : undefined;
}
