/** What the reference says before the first endpoint. */
import { ERROR_CODES, ERROR_MEANING, ERROR_STATUS } from "@lineup/api/errors";
import { LIMIT_MAX } from "@lineup/api/parameters";
import { PERMISSION_GRANTS, PERMISSIONS } from "@lineup/api/permissions";
import { GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import { ADDRESS_LIMIT_PER_MINUTE, TIER_NAMES, TIERS } from "@lineup/api/tiers";

const number = new Intl.NumberFormat("en");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function describeApi(serverUrl: string): string {
  return `Lineup gives your tools an esports organization's data: players, teams, roster, schedule, prospects and contracts. Everything is JSON in UTF-8 under \`${serverUrl}\`.

## First call

Your organization makes a key for you (\`npx lineup key create\`); send it with every request. \`GET /me\` works with any key and says what yours may do:

\`\`\`sh
curl -H "Authorization: Bearer $LINEUP_KEY" "$LINEUP_URL${serverUrl}/me"
\`\`\`

Keys belong on servers only: never in a browser, an app, a repository or a log. There are no CORS headers for that reason, and a key that arrives over plain HTTP from another machine is refused. Revoke and replace a key that has leaked.

## Permissions

A key holds one permission or more; each endpoint names the one it needs. A write permission does not include the read one.

${table(
  ["Permission", "Lets a key"],
  PERMISSIONS.map((permission) => [`\`${permission}\``, PERMISSION_GRANTS[permission]]),
)}

## Answers

A success is \`{"success": true, "data": …, "meta": {"count", "requestId", "timestamp"}}\`, where \`data\` is a resource or a list of them. An error is \`{"success": false, "error": {"code", "message", "status"}, "meta": {"requestId", "timestamp"}}\`. \`X-Request-Id\` repeats \`meta.requestId\`.

- Date-times inside \`data\` are integers, milliseconds since the Unix epoch. Only \`meta.timestamp\` is ISO 8601.
- Every field of a resource is always there; what is unknown is \`null\`.
- Ids begin with their kind, such as \`player_\`, and sort by creation.
- New fields may appear in an answer at any time: ignore those you do not know.
- \`HEAD\` answers every \`GET\` endpoint without the body.

## Lists

A bare call answers with everything it promises. To go page by page, send \`limit\` (1–${LIMIT_MAX}): \`meta.nextCursor\` and a \`Link\` header with \`rel="next"\` lead on, until \`nextCursor\` is \`null\`. A \`cursor\` goes on with the limit of its first page, unless you send another, and only with that page's filters and sort. A walk sees each item that matches throughout exactly once, whatever is written meanwhile.

Commas in a filter mean *any of*, of at most 100 values; different filters narrow each other. Texts sort by code point: capitals come before small letters.

To keep a copy, send the latest \`updatedAt\` you hold of a list, less a minute, as \`updatedSince\`, and write what you get over what you have, by \`id\`. Changes, those of an import included, are dated by the moment at which their turn to be written has come, in the order in which they become visible. \`updatedSince\` is inclusive, and several changes of one record within a millisecond are dated a few milliseconds ahead: hence the minute. Expect some records again; they do no harm.

## Writing

Send \`Content-Type: application/json\` and one JSON object of at most 256 KiB, nested at most 32 deep. \`POST\` answers 201 with \`Location\`. \`PATCH\` changes only the fields it is given, and \`null\` clears a field that may be null. Everything wrong with a body comes at once in \`error.details\`, field by field; an unknown field is refused.

A player's role must be one of those of the game of the player's team, or of *Other* without a team:

${table(
  ["Game", "Roles"],
  GAMES.map((game) => [game, ROLES_BY_GAME[game].join(", ")]),
)}

## Limits

Each key has two rolling windows to itself, a minute and a day; the tier of the organization sets them.

${table(
  ["Tier", "Requests a minute", "Requests a day"],
  TIER_NAMES.map((tier) => [tier, number.format(TIERS[tier].perMinute), number.format(TIERS[tier].perDay)]),
)}

\`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` (Unix epoch seconds) on every answer describe the window with fewer requests left (\`reset\` in \`GET /me\` is in milliseconds); \`RateLimit\` and \`RateLimit-Policy\` describe both. Every request with a valid key counts, whatever its answer, except a refused one. After a 429 wait \`Retry-After\` seconds and retry with exponential backoff. Requests without a valid key draw on ${ADDRESS_LIMIT_PER_MINUTE} a minute for your address.

## Errors

Only these codes ever appear. The message says what to do next; quote \`meta.requestId\` to support. An unknown path, or a method a path does not have, is \`NOT_FOUND\`. What is not well-formed HTTP is \`VALIDATION_ERROR\`, and the connection is closed.

${table(
  ["Code", "Status", "Meaning"],
  ERROR_CODES.map((code) => [`\`${code}\``, String(ERROR_STATUS[code]), ERROR_MEANING[code]]),
)}

## Versions

v1 only ever grows: fields, parameters and endpoints may be added, none is removed or changed. Whatever is to go in a later version is announced at least 12 months ahead, on the answers themselves, with the headers \`Deprecation\` and \`Sunset\` and a \`Link\` to its replacement.`;
}
