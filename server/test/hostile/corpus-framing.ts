/** Where a body begins and ends: shapes on which two servers in a row could disagree. Each is refused and ends the connection. */
import { CREATED, type HostileCase, NOT_FOUND, notHttp, OK, PLAIN_GET, postWith, REFUSED } from "./hostile-case.ts";

const GOOD = '{"ign":"Vex","role":"Player"}';
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const GOOD_CHUNK = `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`;
/** What a smuggler hides behind the body that one server sees and the other does not. */
const SMUGGLED = PLAIN_GET;

const lengths: HostileCase[] = [
  notHttp("Content-Length and chunked", postWith(`Content-Length: 5\r\n${CHUNKED}`, `0\r\n\r\n${SMUGGLED}`)),
  notHttp("chunked and Content-Length", postWith(`${CHUNKED}Content-Length: 5\r\n`, `0\r\n\r\n${SMUGGLED}`)),
  notHttp("two different Content-Lengths", postWith("Content-Length: 0\r\nContent-Length: 200\r\n", SMUGGLED)),
  notHttp("two equal Content-Lengths", postWith("Content-Length: 2\r\nContent-Length: 2\r\n", "{}")),
  notHttp("a list of Content-Lengths", postWith("Content-Length: 2, 2\r\n", "{}")),
  notHttp("a negative Content-Length", postWith("Content-Length: -1\r\n", "")),
  notHttp("a signed Content-Length", postWith("Content-Length: +2\r\n", "{}")),
  notHttp("a hexadecimal Content-Length", postWith("Content-Length: 0x2\r\n", "{}")),
  notHttp("a fractional Content-Length", postWith("Content-Length: 2.0\r\n", "{}")),
  notHttp("an empty Content-Length", postWith("Content-Length:\r\n", "{}")),
  notHttp("a Content-Length in words", postWith("Content-Length: two\r\n", "{}")),
  notHttp("a Content-Length with a space inside", postWith("Content-Length: 1 2\r\n", "{}")),
  notHttp("a Content-Length beyond 64 bits", postWith("Content-Length: 99999999999999999999999\r\n", "{}")),
  notHttp("a Content-Length with a space before its colon", postWith("Content-Length : 2\r\n", "{}")),
  notHttp("a Content-Length with a vertical tab", postWith("Content-Length: \x0b2\r\n", "{}")),
  { name: "a Content-Length with leading zeros", bytes: postWith("Content-Length: 0029\r\n", GOOD), expected: CREATED },
];

const codings: HostileCase[] = [
  { name: "chunked, well-formed", bytes: postWith(CHUNKED, GOOD_CHUNK), expected: CREATED },
  { name: "chunked in capitals", bytes: postWith("TRANSFER-ENCODING: CHUNKED\r\n", GOOD_CHUNK), expected: CREATED },
  { name: "chunked, empty", bytes: postWith(CHUNKED, "0\r\n\r\n"), expected: REFUSED },
  notHttp("chunked, chunked", postWith("Transfer-Encoding: chunked, chunked\r\n", GOOD_CHUNK)),
  notHttp("chunked in two headers", postWith(CHUNKED + CHUNKED, GOOD_CHUNK)),
  notHttp("gzip, chunked", postWith("Transfer-Encoding: gzip, chunked\r\n", GOOD_CHUNK), /transfer coding/),
  notHttp("chunked, then identity", postWith("Transfer-Encoding: chunked, identity\r\n", GOOD_CHUNK)),
  notHttp("identity", postWith("Transfer-Encoding: identity\r\n", GOOD)),
  notHttp("xchunked", postWith("Transfer-Encoding: xchunked\r\n", GOOD_CHUNK)),
  notHttp("chunked in quotes", postWith('Transfer-Encoding: "chunked"\r\n', GOOD_CHUNK)),
  notHttp("chunked after a vertical tab", postWith("Transfer-Encoding: \x0bchunked\r\n", GOOD_CHUNK)),
  notHttp("an empty Transfer-Encoding", postWith("Transfer-Encoding:\r\n", GOOD_CHUNK)),
  notHttp("chunked folded onto a second line", postWith("Transfer-Encoding:\r\n chunked\r\n", GOOD_CHUNK)),
  notHttp("chunked in HTTP/1.0", postWith(CHUNKED, GOOD_CHUNK).replace("HTTP/1.1", "HTTP/1.0"), /only in HTTP\/1\.1/),
];

const chunks: HostileCase[] = [
  notHttp("a chunk size that is no number", postWith(CHUNKED, "zz\r\n{}\r\n0\r\n\r\n")),
  notHttp("a negative chunk size", postWith(CHUNKED, "-2\r\n{}\r\n0\r\n\r\n")),
  notHttp("a chunk size beyond 64 bits", postWith(CHUNKED, "fffffffffffffffff\r\n{}\r\n")),
  notHttp("a chunk size with 0x", postWith(CHUNKED, "0x2\r\n{}\r\n0\r\n\r\n")),
  notHttp("a chunk size after a space", postWith(CHUNKED, " 2\r\n{}\r\n0\r\n\r\n")),
  notHttp("no chunk size", postWith(CHUNKED, "\r\n{}\r\n0\r\n\r\n")),
  notHttp("chunks that end in a bare line feed", postWith(CHUNKED, "2\n{}\n0\n\n")),
  notHttp("a chunk longer than its size", postWith(CHUNKED, "2\r\n{}XX\r\n0\r\n\r\n")),
  notHttp("a bare carriage return in a chunk extension", postWith(CHUNKED, "2;a\rb\r\n{}\r\n0\r\n\r\n")),
  notHttp("chunk extensions of 20 KB", postWith(CHUNKED, `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), /extensions/),
  {
    name: "a chunk extension",
    bytes: postWith(CHUNKED, `${GOOD.length.toString(16)};a=b\r\n${GOOD}\r\n0\r\n\r\n`),
    expected: CREATED,
  },
  {
    name: "a trailer",
    bytes: postWith(`${CHUNKED}Trailer: X-A\r\n`, `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\nX-A: b\r\n\r\n`),
    expected: CREATED,
  },
];

const bodiesNobodyAskedFor: HostileCase[] = [
  { name: "a GET with a body", bytes: bodyOn("GET", "Content-Length: 5\r\n", "hello"), expected: OK },
  { name: "a GET with a chunked body", bytes: bodyOn("GET", CHUNKED, GOOD_CHUNK), expected: OK },
  { name: "a GET whose body is a request", bytes: smuggledInGet(), expected: OK },
  { name: "a DELETE with a body", bytes: bodyOn("DELETE", "Content-Length: 5\r\n", "hello"), expected: NOT_FOUND },
  { name: "a POST without any length", bytes: postWith("", ""), expected: REFUSED },
  { name: "a POST of length 0", bytes: postWith("Content-Length: 0\r\n", ""), expected: REFUSED },
];

function bodyOn(method: string, headerLines: string, body: string): string {
  return postWith(headerLines, body).replace("POST", method);
}

function smuggledInGet(): string {
  // The key's place-holder grows by 45 characters when it is filled in.
  const length = SMUGGLED.length - "{KEY}".length + 50;
  return bodyOn("GET", `Content-Length: ${length}\r\n`, SMUGGLED);
}

export const FRAMING: readonly HostileCase[] = [...lengths, ...codings, ...chunks, ...bodiesNobodyAskedFor];
