/** Request targets under the prefix, and those that only look so: encodings, dots, slashes, and hostile queries. */
import { refusal } from "./answer-rules.ts";
import {
  AUTHORIZATION,
  BAD_PARAMETER,
  HOST,
  type HostileCase,
  NO_KEY,
  NOT_FOUND,
  notHttp,
  OK,
  PREFIX,
} from "./hostile-case.ts";

type Expected = HostileCase["expected"];

const NO_ENDPOINT = refusal("NOT_FOUND", /No endpoint has this path and method/);

function get(target: string, expected: Expected, name = target): HostileCase {
  const label = name.length > 80 ? `${name.slice(0, 60)}… (${name.length} characters)` : name;
  return { name: label, bytes: `GET ${target} HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`, expected };
}

function under(paths: readonly string[], expected: Expected): HostileCase[] {
  return paths.map((path) => get(PREFIX + path, expected));
}

const unknownPaths = under(
  [
    "",
    "/",
    "?x=1",
    "/players/",
    "/players//",
    "/./players",
    "/../v1/players",
    "/%2e%2e/v1/players",
    "/%2e/players",
    "/Players",
    "%2fplayers",
    "/players%2f",
    "/players%2Fx",
    "/players;a=b",
    "/players;?limit=1",
    "/players\\",
    '/play"ers',
    "/*",
    "/contracts/expiring/",
    "/me/",
    "/healthz",
    "/metrics",
    `/${"a/".repeat(3_000)}`,
  ],
  NO_ENDPOINT,
);

/** Each is an id that nobody has, however it is written. */
const unknownIds = [
  "a%2Fb",
  "%2e%2e",
  "..",
  ".",
  "..%2f..%2fteams",
  "..%5c..%5cteams",
  "%00",
  "%252e%252e",
  "%c0%ae%c0%ae",
  "%ff",
  "%ed%a0%80",
  "%",
  "%zz",
  "%u0041",
  "%0d%0aX:%20y",
  "%20",
  "a;b=c",
  "<script>",
  "{id}",
  ":id",
  "*",
  "|`^",
  "__proto__",
  "constructor",
  "'%20OR%201=1--",
  "player_01jb8v6k3ze5xr9m4q7w2t5n8d",
  "PLAYER_01JB8V6K3ZE5XR9M4Q7W2T5N8D",
  "team_01jb8v6k3ze5xr9m4q7w2t5n8d",
  "a".repeat(201),
  "a".repeat(5_000),
  "%61".repeat(1_000),
].flatMap((id) => under([`/players/${id}`, `/contracts/${id}`], NOT_FOUND));

const sameAsPlain = [
  get(`${PREFIX}/%70layers`, OK),
  get(`/%61pi/public/v1/players`, OK),
  get(`${PREFIX}/contracts/%65xpiring`, OK),
  get(`${PREFIX}/contracts/%65%78piring?days=7`, OK),
  get(`http://lineup.example${PREFIX}/players`, OK),
  get(`https://user:word@other.example:99${PREFIX}/players?limit=1`, OK),
  get(`HTTP://lineup.example${PREFIX}/nope`, NOT_FOUND),
  get(`http://lineup.example${PREFIX}/../v1/players`, NOT_FOUND),
  ...under(["/contracts/EXPIRING", "/contracts/expiring%20", "/contracts/expiring%2f"], NOT_FOUND),
];

const queries = under(
  [
    "?limit",
    "?limit=",
    "?=1",
    "??limit=1",
    "?limit=1&limit=1",
    "?limit=1&%6cimit=1",
    "?limit=1;cursor=2",
    "?limit[]=1",
    "?limit=1e1",
    "?limit=0x10",
    "?limit=%2b1",
    "?limit=-0",
    "?limit=1.0",
    "?limit=1e400",
    "?limit=9007199254740993",
    "?limit=%ff",
    "?limit=%",
    "?limit=%0d%0aX:%20y",
    "?limit=%EF%BC%91",
    "?search=%00",
    "?search=%ed%a0%80",
    "?search=%c0%80",
    `?search=${"a".repeat(8_000)}`,
    "?__proto__=1",
    "?constructor=1",
    "?toString",
    "?cursor=",
    "?cursor=%00",
    "?cursor=e30",
    "?cursor=bnVsbA",
    "?cursor=W10",
    `?cursor=${Buffer.from('{"__proto__":{}}').toString("base64url")}`,
    `?cursor=${"A".repeat(8_000)}`,
    "?updatedSince=1e400",
    "?updatedSince=99999999999999999999",
    "?updatedSince=2026-02-30T00:00:00Z",
    "?sort=__proto__",
    "?sort=ign;drop",
    "?teamId=%27%20OR%201%3D1",
    "?externalId=__proto__",
    `?${Array.from({ length: 2_000 }, (_, index) => `a${index}`).join("&")}`,
  ].map((query) => `/players${query}`),
  BAD_PARAMETER,
);

const withoutKey = [`${PREFIX}`, `${PREFIX}/nope`, `${PREFIX}/players/%ff`, "/%61pi/public/v1/nope"].map((target) => ({
  name: `${target} without a key`,
  bytes: `GET ${target} HTTP/1.1\r\n${HOST}\r\n`,
  expected: NO_KEY,
}));

const fragments = [`${PREFIX}/players#x`, `${PREFIX}/players?limit=1#`, `${PREFIX}#`].map((target) =>
  notHttp(target, get(target, OK).bytes, /fragment/),
);

export const TARGETS: readonly HostileCase[] = [
  ...unknownPaths,
  ...unknownIds,
  ...sameAsPlain,
  ...queries,
  ...under(["/players?&&&", "/players?search=%F0%9F%8F%86", "/contracts/expiring?days=30"], OK),
  ...withoutKey,
  ...fragments,
];

/** These are not under the prefix, whatever they look like: no key is asked for, and nothing is there. */
export const OUTSIDE_TARGETS: readonly string[] = [
  "//api/public/v1/players",
  "/api//public/v1/players",
  "/API/public/v1/players",
  "/api/public/V1/players",
  "/api/public/v2/players",
  "/api/public/v1players",
  "/api/public/v1%00/players",
  "/api/public/v1;/players",
  "/api\\public\\v1\\players",
  "/x/../api/public/v1/players",
  "/..%2fapi/public/v1/players",
  "/docs/../metrics",
  "/docs/..%2f..%2fetc/passwd",
  "/healthz/",
  "/HEALTHZ",
  "/healthz%00",
  "/nope",
];
