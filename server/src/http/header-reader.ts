/**
 * Reads the headers of plain requests by their bytes. A connection says nearly the same with each request, so its lines are held against
 * those that it sent before: one that is the same is known without a text being made of it, and only what differs is read, such as, behind a
 * proxy, the line that says who the client is. Keys are never remembered.
 */
import { BASE62, KEY_PREFIX, KEY_RANDOM_LENGTH } from "../access/key-format.ts";
import { type Meaning, meaningOf, PlainHeaders } from "./plain-headers.ts";
import { isHost } from "./request-head.ts";
import { areSameBytes } from "./same-bytes.ts";

/** A line that was read before, by where it lies in the bytes that are remembered. */
interface KnownLine {
  readonly start: number;
  readonly colon: number;
  /** Behind its line break. */
  readonly end: number;
  readonly meaning: Meaning;
  /** Empty where it means nothing, and for the key. */
  readonly value: string;
}

/** What a connection said last, but for its key. */
interface Remembered {
  /** All lines, without the empty one. Where the random part of the key was there is nothing. */
  readonly bytes: Uint8Array;
  readonly lines: readonly KnownLine[];
  /** Where in the bytes the random part of the key begins. */
  readonly keyAt: number;
  readonly headers: PlainHeaders;
}

const MISSES_MAX = 4;
const TRIED_AGAIN_EVERY = 32;
const BEFORE_KEY = `Bearer ${KEY_PREFIX}`;
/** Behind a name come a colon and one space. */
const BEFORE_VALUE = ": ".length;
const LINE_BREAK = "\r\n".length;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const COLON = 0x3a;
const LAST_PRINTABLE = 0x7e;

export class HeaderReader {
  #remembered: Remembered | undefined;
  /** How many in a row were not what was remembered. */
  #misses = 0;
  /** Of the head that was read last: behind its empty line. */
  end = 0;
  /** Of the head that was read last: where the random part of its key begins, if all of it but that is remembered; else -1. */
  keyStart = -1;

  /** Undefined for whatever is not plain. Reads from where the first header begins, and no further than to the limit. */
  read(chunk: Buffer, start: number, limit: number): PlainHeaders | undefined {
    const headers = new PlainHeaders();
    const known = this.#remembered;
    const knownLines = known === undefined ? 0 : known.lines.length;
    let at = start;
    let line = 0;
    let isKnown = known !== undefined;
    for (; at < limit && chunk[at] !== CARRIAGE_RETURN; line++) {
      const like = line < knownLines ? known?.lines[line] : undefined;
      let end = like === undefined ? -1 : matchLine(chunk, at, limit, known as Remembered, like, headers);
      if (end < 0) {
        isKnown = false;
        end = readLine(chunk, at, limit, headers, known?.bytes, like);
        if (end < 0) return undefined;
      }
      at = end;
    }
    this.end = at + LINE_BREAK;
    if (line === 0 || this.end > limit || chunk[at + 1] !== LINE_FEED || !isWhole(headers)) return undefined;
    if (isKnown && line === knownLines) {
      this.#misses = 0;
      this.keyStart = start + (known as Remembered).keyAt;
    } else {
      this.keyStart = -1;
      this.#rememberIfWorth(chunk, start, at, headers);
    }
    return headers;
  }

  /** What is remembered, with the key that begins there: for whoever knows that all else is the same. */
  repeat(chunk: Buffer, keyStart: number): PlainHeaders | undefined {
    const headers = this.#remembered?.headers;
    if (headers === undefined || !isRandomPart(chunk, keyStart, chunk.length)) return undefined;
    this.#misses = 0;
    headers.authorization = authorizationIn(chunk, keyStart);
    return headers;
  }

  /** To be called when the request is answered: its key has no business here any more. */
  forgetKey(): void {
    if (this.#remembered !== undefined) this.#remembered.headers.authorization = undefined;
  }

  /** Behind a proxy that says who each client is, no two are alike, and to remember each of them is wasted. */
  #rememberIfWorth(chunk: Buffer, start: number, end: number, headers: PlainHeaders): void {
    const isWorth = this.#misses < MISSES_MAX || this.#misses % TRIED_AGAIN_EVERY === 0;
    this.#misses++;
    if (isWorth) this.#remembered = remember(chunk, start, end, headers) ?? this.#remembered;
  }
}

/** Puts down what a line says that is the same as a known one. Returns where the next begins, or -1 where it is another. */
function matchLine(
  chunk: Buffer,
  at: number,
  limit: number,
  { bytes, keyAt }: Remembered,
  { start, end, meaning, value }: KnownLine,
  headers: PlainHeaders,
): number {
  const next = at + end - start;
  if (next > limit) return -1;
  const isKey = keyAt > start && keyAt < end;
  if (!areSameBytes(chunk, at, bytes, start, (isKey ? keyAt : end) - start)) return -1;
  if (!isKey) return put(headers, meaning, value) ? next : -1;
  const keyStart = at + keyAt - start;
  const isEnded = chunk[next - 2] === CARRIAGE_RETURN && chunk[next - 1] === LINE_FEED;
  if (!isEnded || !isRandomPart(chunk, keyStart, next)) return -1;
  return put(headers, meaning, authorizationIn(chunk, keyStart)) ? next : -1;
}

/** Puts down what a line says. Returns where the next begins, or -1 for what is not plain. `like` is one that may have the same name. */
function readLine(
  chunk: Buffer,
  at: number,
  limit: number,
  headers: PlainHeaders,
  bytes?: Uint8Array,
  like?: KnownLine,
): number {
  const colon = findColon(chunk, at, limit);
  const end = colon < 0 ? -1 : findValueEnd(chunk, colon + BEFORE_VALUE, limit);
  if (end < 0) return -1;
  const isLike = bytes !== undefined && like !== undefined && hasName(chunk, at, colon, bytes, like);
  const meaning = isLike ? like.meaning : meaningOf(chunk.toString("latin1", at, colon));
  if (meaning === undefined) return -1;
  const isPut = meaning === "ignored" || put(headers, meaning, chunk.toString("latin1", colon + BEFORE_VALUE, end));
  return isPut ? end + LINE_BREAK : -1;
}

/** False for a header that stands twice. */
function put(headers: PlainHeaders, meaning: Meaning, value: string): boolean {
  if (meaning === "ignored") return true;
  if (headers[meaning] !== undefined) return false;
  headers[meaning] = value;
  return true;
}

/** Where a name ends that has one space behind its colon; -1 where there is none such. */
function findColon(chunk: Buffer, start: number, limit: number): number {
  let at = start;
  while (at < limit && isNamePart(chunk[at] as number)) at++;
  const isName = at > start && at + 1 < limit && chunk[at] === COLON && chunk[at + 1] === SPACE;
  return isName ? at : -1;
}

function isNamePart(byte: number): boolean {
  return byte > SPACE && byte <= LAST_PRINTABLE && byte !== COLON;
}

/** Where a value ends: printable ASCII throughout, no space at either end, and a line break behind it. */
function findValueEnd(chunk: Buffer, start: number, limit: number): number {
  let at = start;
  while (at < limit && (chunk[at] as number) >= SPACE && (chunk[at] as number) <= LAST_PRINTABLE) at++;
  if (at === start || at + 1 >= limit || chunk[at] !== CARRIAGE_RETURN || chunk[at + 1] !== LINE_FEED) return -1;
  return chunk[start] === SPACE || chunk[at - 1] === SPACE ? -1 : at;
}

function hasName(chunk: Buffer, at: number, colon: number, bytes: Uint8Array, like: KnownLine): boolean {
  const length = colon - at;
  return length === like.colon - like.start && areSameBytes(chunk, at, bytes, like.start, length);
}

/** All that a request has to say, and nothing that would end its connection. */
function isWhole({ host, connection }: PlainHeaders): boolean {
  const stays = connection === undefined || connection.toLowerCase() === "keep-alive";
  return stays && host !== undefined && isHost(host);
}

/** Of lines that were read and are plain. Undefined where no key of the usual form is among them, or more than the one. */
export function remember(chunk: Buffer, start: number, end: number, headers: PlainHeaders): Remembered | undefined {
  const text = chunk.toString("latin1", start, end);
  const keyAt = text.indexOf(BEFORE_KEY) + BEFORE_KEY.length;
  const isKey =
    headers.authorization?.length === BEFORE_KEY.length + KEY_RANDOM_LENGTH &&
    text.slice(keyAt - BEFORE_KEY.length, keyAt + KEY_RANDOM_LENGTH) === headers.authorization &&
    isRandomPart(chunk, start + keyAt, end);
  // Another header may hold such a text as well. Then nothing is remembered, for it would be with a key in it.
  const isOnlyKey = text.indexOf(KEY_PREFIX) === keyAt - KEY_PREFIX.length && !text.includes(KEY_PREFIX, keyAt);
  if (!isKey || !isOnlyKey) return undefined;
  // In memory of its own: in a piece that is shared, it would keep what others have left there, keys among it.
  const bytes = new Uint8Array(end - start);
  bytes.set(chunk.subarray(start, end));
  bytes.fill(0, keyAt, keyAt + KEY_RANDOM_LENGTH);
  const lines: KnownLine[] = [];
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(":", at);
    const lineEnd = text.indexOf("\r\n", at) + LINE_BREAK;
    const meaning = meaningOf(text.slice(at, colon)) ?? "ignored";
    const isRead = meaning !== "ignored" && meaning !== "authorization";
    const value = isRead ? chunk.toString("latin1", start + colon + BEFORE_VALUE, start + lineEnd - LINE_BREAK) : "";
    lines.push({ start: at, colon, end: lineEnd, meaning, value });
    at = lineEnd;
  }
  return { bytes, lines, keyAt, headers: Object.assign(new PlainHeaders(), headers, { authorization: undefined }) };
}

function authorizationIn(chunk: Buffer, keyStart: number): string {
  return chunk.toString("latin1", keyStart - BEFORE_KEY.length, keyStart + KEY_RANDOM_LENGTH);
}

/** Digits and letters alone, so that nothing that is part of HTTP itself can hide in it. */
function isRandomPart(chunk: Buffer, start: number, limit: number): boolean {
  const end = start + KEY_RANDOM_LENGTH;
  if (end > limit) return false;
  for (let at = start; at < end; at++) if (IS_RANDOM[chunk[at] as number] !== 1) return false;
  return true;
}

const IS_RANDOM = new Uint8Array(256);
for (const character of Buffer.from(BASE62)) IS_RANDOM[character] = 1;
