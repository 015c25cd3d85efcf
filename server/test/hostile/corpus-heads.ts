/** Heads of requests: lines, names and values that are not HTTP, are another protocol, or are HTTP that nobody expects. */
import { deflateRawSync } from "node:zlib";
import {
  AUTHORIZATION,
  getWith,
  HOST,
  type HostileCase,
  JSON_TYPE,
  NO_KEY,
  NOT_FOUND,
  notHttp,
  OK,
  PREFIX,
  postWith,
  REFUSED,
  SEVERAL_KEYS,
} from "./hostile-case.ts";

const PATH = `${PREFIX}/players`;

function line(requestLine: string, headerLines = HOST + AUTHORIZATION): string {
  return `${requestLine}\r\n${headerLines}\r\n`;
}

const lines: HostileCase[] = [
  notHttp("garbage", "hello there\r\n\r\n"),
  notHttp("random bytes", deflateRawSync(Buffer.alloc(2_000, "lineup"))),
  notHttp("a run of NULs", Buffer.alloc(512)),
  notHttp("a TLS ClientHello", Buffer.from("160301005c010000580303", "hex")),
  notHttp("an SSH greeting", "SSH-2.0-OpenSSH_9.9\r\n"),
  notHttp("an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  notHttp("HTTP/2.0 in the request line", line(`GET ${PATH} HTTP/2.0`), /HTTP\/1\.1/),
  notHttp("HTTP/0.9 without a version", `GET ${PATH}\r\n\r\n`),
  notHttp("HTTP/0.9 by name", line(`GET ${PATH} HTTP/0.9`)),
  notHttp("HTTP/1.2", line(`GET ${PATH} HTTP/1.2`)),
  notHttp("HTTP/9.9", line(`GET ${PATH} HTTP/9.9`)),
  notHttp("a version in small letters", line(`GET ${PATH} http/1.1`)),
  notHttp("an RTSP request", line(`DESCRIBE ${PATH} RTSP/1.0`)),
  notHttp("an ICE request", line(`GET ${PATH} ICE/1.0`)),
  notHttp("tabs for spaces", line(`GET\t${PATH}\tHTTP/1.1`)),
  notHttp("a space in the target", line(`GET ${PATH} x HTTP/1.1`)),
  notHttp("a target without a slash", line("GET players HTTP/1.1")),
  notHttp("an asterisk for another method than OPTIONS", line("GET * HTTP/1.1"), /request target/),
  notHttp("bytes beyond ASCII in the target", line(`GET ${PATH}/\xe2\x82\xac HTTP/1.1`)),
  notHttp("a control character in the target", line(`GET ${PATH}/\x01 HTTP/1.1`)),
  notHttp("a NUL in the target", line(`GET ${PATH}/\0 HTTP/1.1`)),
  notHttp("CONNECT to another host", line("CONNECT example.com:443 HTTP/1.1")),
  notHttp("CONNECT to a path", line(`CONNECT ${PATH} HTTP/1.1`)),
  { name: "empty lines before the request", bytes: `\r\n\r\n${getWith("")}`, expected: OK },
  { name: "HTTP/1.0", bytes: line(`GET ${PATH} HTTP/1.0`), expected: OK, closes: true },
  { name: "HTTP/1.0 without a Host", bytes: line(`GET ${PATH} HTTP/1.0`, AUTHORIZATION), expected: OK, closes: true },
  {
    name: "HTTP/1.0 that asks to stay",
    bytes: line(`GET ${PATH} HTTP/1.0`, `Connection: keep-alive\r\n${AUTHORIZATION}`),
    expected: OK,
  },
];

const names: HostileCase[] = [
  notHttp("no Host", line(`GET ${PATH} HTTP/1.1`, AUTHORIZATION), /no Host/),
  notHttp("no Host, outside the prefix", line("GET /healthz HTTP/1.1", ""), /no Host/),
  notHttp("two Hosts", getWith("Host: other.example\r\n"), /Host header/),
  notHttp("the same Host twice", getWith(HOST), /Host header/),
  notHttp("a Host with spaces and slashes", getWith("").replace(HOST, "Host: a b/c@d\r\n"), /Host header/),
  { name: "an empty Host", bytes: getWith("").replace(HOST, "Host:\r\n"), expected: OK },
  { name: "an IPv6 Host with a port", bytes: getWith("").replace(HOST, "Host: [::1]:3000\r\n"), expected: OK },
  notHttp("a folded header", getWith("X-A: b\r\n c\r\n")),
  notHttp("a folded first header", line(`GET ${PATH} HTTP/1.1`, ` X-A: b\r\n${HOST}${AUTHORIZATION}`)),
  notHttp("bare line feeds throughout", getWith("").replaceAll("\r\n", "\n")),
  notHttp("one bare line feed", getWith("X-A: b\n")),
  notHttp("a bare carriage return", getWith("X-A: b\rX-B: c\r\n")),
  notHttp("a space before the colon", getWith("X-A : b\r\n")),
  notHttp("a tab before the colon", getWith("X-A\t: b\r\n")),
  notHttp("a NUL in a value", getWith("X-A: b\0c\r\n")),
  notHttp("a NUL in a name", getWith("X\0A: b\r\n")),
  notHttp("a control character in a value", getWith("X-A: b\x01c\r\n")),
  notHttp("a header without a colon", getWith("X-A\r\n")),
  notHttp("a header without a name", getWith(": b\r\n")),
  notHttp("a name in parentheses", getWith("X(A): b\r\n")),
  notHttp("a name beyond ASCII", getWith("X-\xe4: b\r\n")),
  { name: "a value beyond ASCII", bytes: getWith("X-A: \xff\xfe\r\n"), expected: OK },
  { name: "2,500 small headers", bytes: getWith(manyHeaders(2_500)), expected: OK },
  { name: "headers named like parts of objects", bytes: getWith("__proto__: a\r\nconstructor: b\r\n"), expected: OK },
  notHttp("thousands of headers over 16 KiB", getWith(manyHeaders(9_000).replaceAll("a:", "abc:")), /too large/),
  notHttp("one header of 20 KB", getWith(`X-A: ${"a".repeat(20_000)}\r\n`), /too large/),
  notHttp("one name of 20 KB", getWith(`${"A".repeat(20_000)}: a\r\n`), /too large/),
  notHttp("a target of 20 KB", line(`GET ${PATH}?search=${"a".repeat(20_000)} HTTP/1.1`), /too large/),
];

function manyHeaders(count: number): string {
  return Array.from({ length: count }, (_, index) => `a:${index % 10}\r\n`).join("");
}

/** Node's parser does not know these; the connection ends with them. */
const unheardOf: HostileCase[] = [
  ...["FROB", "get", "GETS", "X-Y!", "M".repeat(5_000)].map((method) => ({
    name: `${method.slice(0, 20)}, a method nobody has heard of`,
    bytes: line(`${method} ${PATH} HTTP/1.1`),
    expected: NOT_FOUND,
    closes: true,
  })),
  {
    name: "an unheard-of method without a key",
    bytes: line(`FROB ${PATH} HTTP/1.1`, HOST),
    expected: NO_KEY,
    closes: true,
  },
  {
    name: "an unheard-of method with two keys",
    bytes: line(`FROB ${PATH} HTTP/1.1`, HOST + AUTHORIZATION + AUTHORIZATION),
    expected: SEVERAL_KEYS,
    closes: true,
  },
  {
    name: "an unheard-of method with a body",
    bytes: `${line(`FROB ${PATH} HTTP/1.1`, `${HOST}${AUTHORIZATION}Content-Length: 5\r\n`)}hello`,
    expected: NOT_FOUND,
    closes: true,
  },
  notHttp("an unheard-of method without a Host", line(`FROB ${PATH} HTTP/1.1`, AUTHORIZATION)),
  notHttp("an unheard-of method outside the prefix", line("FROB /x HTTP/1.1")),
  notHttp("an unheard-of method with a folded header", line(`FROB ${PATH} HTTP/1.1`, `${HOST}X-A: b\r\n c\r\n`)),
  notHttp("an unheard-of method with a NUL", line(`FROB ${PATH} HTTP/1.1`, `${HOST}X-A: b\0\r\n`)),
];

const methods: HostileCase[] = [
  ...["OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND", "QUERY", "M-SEARCH", "PURGE", "LINK"].map((method) => ({
    name: `${method}, a method no path has`,
    bytes: line(`${method} ${PATH} HTTP/1.1`),
    expected: NOT_FOUND,
  })),
  {
    name: "a preflight with a key",
    bytes: line(`OPTIONS ${PATH} HTTP/1.1`, `${HOST}${AUTHORIZATION}${preflight()}`),
    expected: NOT_FOUND,
  },
  {
    name: "a preflight as browsers send it, without a key",
    bytes: line(`OPTIONS ${PATH} HTTP/1.1`, HOST + preflight()),
    expected: NO_KEY,
  },
  { name: "a GET with an Origin", bytes: getWith("Origin: https://evil.example\r\n"), expected: OK },
  {
    name: "PATCH on a list",
    bytes: postWith("Content-Length: 2\r\n", "{}").replace("POST", "PATCH"),
    expected: NOT_FOUND,
  },
  { name: "POST on one record", bytes: line(`POST ${PATH}/x HTTP/1.1`, HOST + AUTHORIZATION), expected: NOT_FOUND },
];

function preflight(): string {
  return "Origin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization\r\n";
}

const wishes: HostileCase[] = [
  {
    name: "Expect: 100-continue before a body that is refused",
    bytes: postWith("Expect: 100-continue\r\nContent-Length: 2\r\n", "{}"),
    expected: REFUSED,
  },
  {
    name: "an Expect that nobody knows, which stays unmet",
    bytes: postWith("Expect: 200-ok\r\nContent-Length: 2\r\n", "{}"),
    expected: REFUSED,
  },
  {
    name: "an Expect that nobody knows, without a key",
    bytes: line(`GET ${PATH} HTTP/1.1`, `${HOST}Expect: tea\r\n`),
    expected: NO_KEY,
  },
  { name: "an Upgrade to WebSocket", bytes: getWith("Connection: Upgrade\r\nUpgrade: websocket\r\n"), expected: OK },
  {
    name: "an Upgrade to h2c",
    bytes: getWith("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
    expected: OK,
  },
  { name: "a request to close", bytes: getWith("Connection: close\r\n"), expected: OK, closes: true },
  { name: "a method in another header", bytes: getWith("X-HTTP-Method-Override: DELETE\r\n"), expected: OK },
  { name: "a target in another header", bytes: getWith("X-Original-URL: /metrics\r\n"), expected: OK },
  { name: "a range", bytes: getWith("Range: bytes=0-0\r\n"), expected: OK },
  { name: "an Accept that nothing meets", bytes: getWith("Accept: image/png\r\nAccept-Charset: x\r\n"), expected: OK },
];

const keys: HostileCase[] = [
  authorization("a scheme in small letters", "authorization: bearer {KEY}\r\n", OK),
  authorization("a scheme in capitals, with spaces around", "Authorization:   BEARER   {KEY}   \r\n", OK),
  authorization("the same Authorization twice", AUTHORIZATION + AUTHORIZATION, SEVERAL_KEYS),
  authorization("Basic, then Bearer", `Authorization: Basic YTpi\r\n${AUTHORIZATION}`, SEVERAL_KEYS),
  authorization("Bearer, then Basic", `${AUTHORIZATION}Authorization: Basic YTpi\r\n`, SEVERAL_KEYS),
  authorization("Bearer, then nothing", `${AUTHORIZATION}authorization:\r\n`, SEVERAL_KEYS),
  authorization("two keys in one header", "Authorization: Bearer {KEY}, Bearer {KEY}\r\n", NO_KEY),
  authorization("a tab after the scheme", "Authorization: Bearer\t{KEY}\r\n", NO_KEY),
  authorization("a key without a scheme", "Authorization: {KEY}\r\n", NO_KEY),
  authorization("a scheme without a key", "Authorization: Bearer\r\n", NO_KEY),
  authorization("an empty Authorization", "Authorization:\r\n", NO_KEY),
  authorization("another scheme", "Authorization: Token {KEY}\r\n", NO_KEY),
  authorization("a key in quotes", 'Authorization: Bearer "{KEY}"\r\n', NO_KEY),
  authorization("a key with a tail", "Authorization: Bearer {KEY}x\r\n", NO_KEY),
  authorization("a key of 12 KB", `Authorization: Bearer ${"a".repeat(12_000)}\r\n`, NO_KEY),
  authorization("a key beyond ASCII", "Authorization: Bearer lineup_live_\xd0\xba\xd0\xbb\r\n", NO_KEY),
  authorization("a key with a percent sign", "Authorization: Bearer %00%0a{KEY}\r\n", NO_KEY),
  authorization("a key in a cookie", "Cookie: authorization=Bearer {KEY}\r\n", NO_KEY),
  authorization("a key in Proxy-Authorization", "Proxy-Authorization: Bearer {KEY}\r\n", NO_KEY),
  {
    name: "a key in a trailer",
    bytes: `POST ${PATH} HTTP/1.1\r\n${HOST}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n0\r\n${AUTHORIZATION}\r\n`,
    expected: NO_KEY,
  },
];

function authorization(name: string, headerLines: string, expected: HostileCase["expected"]): HostileCase {
  return { name, bytes: line(`GET ${PATH} HTTP/1.1`, HOST + headerLines), expected };
}

export const HEADS: readonly HostileCase[] = [...lines, ...names, ...unheardOf, ...methods, ...wishes, ...keys];
