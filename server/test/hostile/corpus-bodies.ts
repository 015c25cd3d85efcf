/** Bodies of POST /players: JSON that is none, that says things twice, that goes too deep, and the ways to declare it. */
import { gzipSync } from "node:zlib";
import { refusal } from "./answer-rules.ts";
import { AUTHORIZATION, CREATED, HOST, type HostileCase, JSON_TYPE, PREFIX, REFUSED } from "./hostile-case.ts";

type Expected = HostileCase["expected"];

const GOOD = '{"ign":"Vex","role":"Player"}';
const BODY_MAX = 256 * 1024;

function post(name: string, body: string | Buffer, expected: Expected, headerLines = JSON_TYPE): HostileCase {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const head = `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${AUTHORIZATION}${headerLines}Content-Length: ${bytes.length}\r\n\r\n`;
  return { name, bytes: Buffer.concat([Buffer.from(head, "latin1"), bytes]), expected };
}

function chunked(name: string, body: string, expected: Expected): HostileCase {
  const chunks = body.match(/[\s\S]{1,60000}/g)?.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`) ?? [];
  const head = `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${AUTHORIZATION}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`;
  return { name, bytes: `${head}${chunks.join("")}0\r\n\r\n`, expected };
}

/** A player with one more field. */
function withField(field: string): string {
  return `{"ign":"Vex","role":"Player",${field}}`;
}

const BROKEN = refusal("VALIDATION_ERROR", /not valid JSON; check .* send it again/);
const TWICE = refusal("VALIDATION_ERROR", /twice/);
const TOO_DEEP = refusal("VALIDATION_ERROR", /nested more than 32 deep; send it flatter/);
const NOT_UTF8 = refusal("VALIDATION_ERROR", /not valid UTF-8; encode .* send it again/);
const NO_OBJECT = refusal("VALIDATION_ERROR", /must be one JSON object/);
const TOO_LARGE = refusal("VALIDATION_ERROR", /larger than 256 KiB/);

const broken: HostileCase[] = [
  ["a line comment", `${GOOD}// x`],
  ["a block comment", `/* x */${GOOD}`],
  ["a trailing comma", '{"ign":"Vex","role":"Player",}'],
  ["single quotes", "{'ign':'Vex','role':'Player'}"],
  ["names without quotes", '{ign:"Vex",role:"Player"}'],
  ["NaN", withField('"joinDate":NaN')],
  ["Infinity", withField('"joinDate":Infinity')],
  ["undefined", withField('"teamId":undefined')],
  ["a number with a plus", withField('"joinDate":+1')],
  ["a number with a leading zero", withField('"joinDate":01')],
  ["a number that ends in its point", withField('"joinDate":1.')],
  ["a hexadecimal number", withField('"joinDate":0x10')],
  ["a number with underscores", withField('"joinDate":1_000')],
  ["a raw NUL", '{"ign":"V\0x","role":"Player"}'],
  ["a raw line break in a text", '{"ign":"V\nx","role":"Player"}'],
  ["half an escape", '{"ign":"\\u12","role":"Player"}'],
  ["an unknown escape", '{"ign":"\\x41","role":"Player"}'],
  ["a text that never ends", '{"ign":"Vex'],
  ["an object that never ends", '{"ign":"Vex","role":"Player"'],
  ["two objects", GOOD + GOOD],
  ["lines of JSON", `${GOOD}\n${GOOD}\n`],
  ["a tail", `${GOOD}x`],
  ["a form", "ign=Vex&role=Player"],
  ["XML", '<?xml version="1.0"?><ign>Vex</ign>'],
  ["a form feed for a space", `\f${GOOD}`],
  ["UTF-16 without its mark", Buffer.from(GOOD, "utf16le")],
  ["True in capitals", withField('"x":True')],
].map(([name, body]) => post(`broken JSON: ${name}`, body as string | Buffer, BROKEN));

const encodings: HostileCase[] = [
  post("a byte order mark", `\u{FEFF}${GOOD}`, refusal("VALIDATION_ERROR", /byte order mark/)),
  post("UTF-16 with its mark", Buffer.from(`\u{FEFF}${GOOD}`, "utf16le"), NOT_UTF8),
  post("Latin-1", Buffer.from('{"ign":"V\xe9x","role":"Player"}', "latin1"), NOT_UTF8),
  post("an overlong slash", Buffer.from('{"ign":"\xc0\xaf","role":"Player"}', "latin1"), NOT_UTF8),
  post("a surrogate in UTF-8", Buffer.from('{"ign":"\xed\xa0\x80","role":"Player"}', "latin1"), NOT_UTF8),
  post("half a character at the end", Buffer.from(`${GOOD}\xf0\x9f`, "latin1"), NOT_UTF8),
  post("beyond Unicode", Buffer.from('{"ign":"\xf4\x90\x80\x80","role":"Player"}', "latin1"), NOT_UTF8),
  post("a gzip body that says so", gzipSync(GOOD), refusal("VALIDATION_ERROR", /Compressed/), encoded("gzip")),
  post("a gzip body that does not", gzipSync(GOOD), NOT_UTF8),
  post("a plain body that claims gzip", GOOD, REFUSED, encoded("gzip")),
  post("a body that claims br and gzip", GOOD, REFUSED, encoded("br, gzip")),
  post("a body that claims identity", GOOD, CREATED, encoded("identity")),
  post("texts of every plane", withField('"realName":"Åsa 李 🏆 \\ud83c\\udfc6"'), CREATED),
  post("noncharacters, which are characters enough", withField('"realName":"\\uffff\u{1FFFF}"'), CREATED),
];

function encoded(coding: string): string {
  return `${JSON_TYPE}Content-Encoding: ${coding}\r\n`;
}

const values: HostileCase[] = [
  post("half a surrogate pair", '{"ign":"\\ud800","role":"Player"}', REFUSED),
  post("a surrogate pair the wrong way round", '{"ign":"\\udfc6\\ud83c","role":"Player"}', REFUSED),
  post("half a surrogate pair in a name", withField('"stats":{"\\ud800":1}'), REFUSED),
  post("half a surrogate pair as a field", withField('"\\ud800":1'), REFUSED),
  post("an escaped NUL", '{"ign":"V\\u0000x","role":"Player"}', REFUSED),
  post("an escaped NUL in a name", withField('"stats":{"a\\u0000":1}'), REFUSED),
  post("an escape character", '{"ign":"\\u001b[31m","role":"Player"}', REFUSED),
  post("1e400", withField('"stats":{"kda":1e400}'), REFUSED),
  post("-1e400", withField('"stats":{"kda":-1e400}'), REFUSED),
  post("1e400 as a date", withField('"joinDate":1e400'), REFUSED),
  post("a number of 10,000 digits", withField(`"joinDate":${"9".repeat(10_000)}`), REFUSED),
  post("9007199254740993 as a date", withField('"joinDate":9007199254740993'), REFUSED),
  post("a fraction as a date", withField('"joinDate":1.5'), REFUSED),
  post("a text as a date", withField('"joinDate":"1"'), REFUSED),
  post("1E+2 as a date", withField('"joinDate":1E+2'), CREATED),
  post("-0 as a date", withField('"joinDate":-0'), CREATED),
  post("1e-400, which is 0", withField('"stats":{"kda":1e-400}'), CREATED),
  post("__proto__ as a field", withField('"__proto__":{"status":"benched"}'), REFUSED),
  post("constructor as a field", withField('"constructor":{"prototype":{}}'), REFUSED),
  post("__proto__ for the required fields", '{"__proto__":{"ign":"Vex","role":"Player"}}', REFUSED),
  post("names of parts of objects in stats", withField('"stats":{"constructor":1,"toString":"a"}'), CREATED),
  post("__proto__ in externalIds", withField('"externalIds":{"__proto__":"a"}'), CREATED),
  post("objects where texts belong", '{"ign":{"toString":"x"},"role":["Player"]}', REFUSED),
  post("a role that is an operator", '{"ign":"Vex","role":{"$ne":null}}', REFUSED),
  post("10,000 unknown fields", `{${numbered(10_000, (at) => `"f${at}":1`)}}`, REFUSED),
  post("10,000 stats", withField(`"stats":{${numbered(10_000, (at) => `"f${at}":1`)}}`), REFUSED),
];

function numbered(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join();
}

const names: HostileCase[] = [
  post("a name twice", '{"ign":"Vex","ign":"Vex","role":"Player"}', TWICE),
  post("a name twice, once in escapes", '{"ign":"Vex","\\u0069gn":"Ax","role":"Player"}', TWICE),
  post("a name twice with spaces before the colon", '{"ign" : "Vex","ign"\n:"Ax","role":"Player"}', TWICE),
  post("a name twice inside stats", withField('"stats":{"a":1,"a":1}'), TWICE),
  post("a name twice inside an object in a list", withField('"x":[1,{"a":1,"a":2}]'), TWICE),
  post("an empty name twice", '{"":1,"":2}', TWICE),
  post("__proto__ twice", '{"__proto__":1,"__proto__":2}', TWICE),
  post("a name twice with quotes and backslashes", '{"\\"\\\\":1,"\\u0022\\u005c":2}', TWICE),
  post("a name in two objects", withField('"stats":{"ign":1,"role":"a"}'), CREATED),
  post("a text that looks like a name twice", withField('"realName":"\\"ign\\":","stats":{"a":"ign"}'), CREATED),
];

const depths: HostileCase[] = [
  post("32 deep in lists", nested("[", "]", 31), refusal("VALIDATION_ERROR", /stats/)),
  post("33 deep in lists", nested("[", "]", 32), TOO_DEEP),
  post("32 deep in objects", nested('{"a":', "}", 31), refusal("VALIDATION_ERROR", /stats/)),
  post("33 deep in objects", nested('{"a":', "}", 32), TOO_DEEP),
  post("120,000 deep in lists", nested("[", "]", 120_000), TOO_DEEP),
  post("40,000 deep in objects", nested('{"a":', "}", 40_000), TOO_DEEP),
  post("200,000 brackets that never close", "[".repeat(200_000), BROKEN),
  post("brackets in a text", withField(`"realName":"${"[{".repeat(50)}"`), CREATED),
];

/** A player whose stats are nested so deep; the player itself is one more. */
function nested(open: string, close: string, depth: number): string {
  return withField(`"stats":${open.repeat(depth)}1${close.repeat(depth)}`);
}

const shapes: HostileCase[] = [
  ...["[]", `[${GOOD}]`, '"ign"', "1", "null", "true", "-0"].map((body) => post(`no object: ${body}`, body, NO_OBJECT)),
  ...["", " ", "\r\n\t "].map((body) => post(`no body: ${JSON.stringify(body)}`, body, REFUSED)),
  post("an empty object", "{}", REFUSED),
  post("exactly 256 KiB", GOOD.padEnd(BODY_MAX), CREATED),
  post("one byte over 256 KiB", GOOD.padEnd(BODY_MAX + 1), TOO_LARGE),
  post("4 MB", GOOD.padEnd(4_000_000), TOO_LARGE),
  chunked("exactly 256 KiB in chunks", GOOD.padEnd(BODY_MAX), CREATED),
  chunked("one byte over 256 KiB in chunks", GOOD.padEnd(BODY_MAX + 1), TOO_LARGE),
  chunked("4 MB in chunks", GOOD.padEnd(4_000_000), TOO_LARGE),
];

const RIGHT_TYPES = [
  "application/json",
  "APPLICATION/JSON",
  " \t application/json \t ",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  'application/json ; charset="utf-8"',
  "application/json\t;\tcharset=utf-8",
  "application/json;",
  "application/json;;charset=utf-8",
  "application/json; charset=utf8; x=y",
];

const WRONG_TYPES = [
  "",
  "application/json garbage",
  "application/json, application/json",
  "application/json\r\nContent-Type: application/json",
  "application/json\r\nContent-Type: text/plain",
  "application/json; charset",
  "application/json; charset=",
  "application/json; charset=latin1",
  "application/json; charset=utf-16",
  "application/json; charset=utf-7",
  "application/json; charset='utf-8'",
  "application/json; charset=utf-8; charset=latin1",
  'application/json; x="; charset=utf-8"; charset=latin1',
  'application/json; charset="utf-8',
  "application/json; =",
  "application / json",
  "application/json/",
  "application/json5",
  "application/jsonp",
  "application/ld+json",
  "application/problem+json",
  "application/x-json",
  "application/*",
  "*/*",
  "json",
  "text/json",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "application/json\xa0",
  `application/json; x=${"a".repeat(8_000)}`,
  `application/json${"; ".repeat(4_000)}`,
];

const types: HostileCase[] = [
  ...RIGHT_TYPES.map((type) =>
    post(`Content-Type ${JSON.stringify(type)}`, GOOD, CREATED, `Content-Type: ${type}\r\n`),
  ),
  ...WRONG_TYPES.map((type) =>
    post(
      `Content-Type ${JSON.stringify(type.slice(0, 60))}`,
      GOOD,
      refusal("VALIDATION_ERROR", /Content-Type/),
      `Content-Type: ${type}\r\n`,
    ),
  ),
  post("no Content-Type", GOOD, refusal("VALIDATION_ERROR", /Content-Type/), ""),
];

export const BODIES: readonly HostileCase[] = [
  ...broken,
  ...encodings,
  ...values,
  ...names,
  ...depths,
  ...shapes,
  ...types,
];
