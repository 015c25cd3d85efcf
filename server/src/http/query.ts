/**
 * What a query string asks for: its parameters by the endpoint's table, all faults at once, and where a list goes on.
 *
 * Cursors. One holds where its page ended and the limit, filters and sort of the walk, so that it can go on alone. It is
 * bound to its endpoint and organization and to those filters; used with others it is refused rather than misread. It
 * grants nothing: whatever it says, the query runs inside the caller's own organization.
 */
import { hash } from "node:crypto";
import type { Endpoint } from "@lineup/api/endpoint";
import { DETAILS_MAX, type ErrorDetail, parameterError } from "@lineup/api/errors";
import { printableName } from "@lineup/api/fields";
import { ID_SUFFIX } from "@lineup/api/ids";
import { findNearestName } from "@lineup/api/nearest-name";
import { LIMIT_MAX, ParameterFault, type ParameterTable, type SortParameter } from "@lineup/api/parameters";
import * as z from "zod";
import type { PageRequest, Position } from "../store/list.ts";

/** The texts of the parameters, by name, as the client wrote them. */
export type QueryTexts = ReadonlyMap<string, string>;

export interface SplitQuery {
  readonly texts: QueryTexts;
  readonly faults: readonly ErrorDetail[];
}

const NOT_ENCODED =
  "is not valid percent-encoded UTF-8; write a percent sign itself as %25, and what is not ASCII as the bytes of its UTF-8";

export function splitQuery(queryString: string): SplitQuery {
  const texts = new Map<string, string>();
  const faults: ErrorDetail[] = [];
  for (const piece of queryString.split("&")) {
    if (piece === "") continue;
    const equals = piece.indexOf("=");
    const name = decode(equals < 0 ? piece : piece.slice(0, equals));
    const text = decode(equals < 0 ? "" : piece.slice(equals + 1));
    if (name === undefined || text === undefined) {
      faults.push({ field: printableName(name ?? piece), message: NOT_ENCODED });
    } else if (texts.has(name)) {
      faults.push({ field: printableName(name), message: "is there more than once; send it once" });
    } else texts.set(name, text);
  }
  return { texts, faults };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The values of the parameters; throws INVALID_PARAMETER with everything that is wrong. */
export function parseQuery(table: ParameterTable, query: SplitQuery, route: string): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const faults = [...query.faults];
  for (const [name, text] of query.texts) {
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (parameter === undefined) {
      // Which name is near takes a while to find, and of no more than these is anything told.
      const message = faults.length < DETAILS_MAX ? unknownParameter(table, name, route) : "";
      faults.push({ field: printableName(name), message });
      continue;
    }
    const value = parameter.parse(text);
    if (value instanceof ParameterFault) faults.push({ field: name, message: value.message });
    else values[name] = value;
  }
  if (faults.length > 0) throw parameterError(faults);
  return values;
}

function unknownParameter(table: ParameterTable, name: string, route: string): string {
  const known = Object.keys(table);
  if (known.length === 0) return `is not known: ${route} takes no query parameters`;
  const near = findNearestName(name, known);
  return `is not a parameter of ${route}; ${near === undefined ? `it takes ${known.join(", ")}` : `did you mean ${near}?`}`;
}

/** A list as it was asked for: which page, and the texts of all parameters that make the list what it is. */
export interface ListRequest {
  readonly page: PageRequest | undefined;
  readonly filters: QueryTexts;
  /** Whether the filters are the cursor's own, and not the request's. */
  readonly isOwn: boolean;
}

/** What a list's cursor holds: filters, limit, and the sort value and id at which its page ended. */
const cursorParts = z.tuple([
  z.array(z.tuple([z.string(), z.string()])),
  z.int().min(1).max(LIMIT_MAX),
  z.union([z.string(), z.number(), z.null()]),
  z.string(),
]);
type CursorParts = z.output<typeof cursorParts>;

const NEVER_GIVEN_OUT = "is not a cursor that was given out; start again without it";

const PAGING = new Set(["limit", "cursor"]);

/** A cursor holds its filters, and must itself fit into a URL. */
const FILTERS_MAX_BYTES = 7_500;

/** Separates the page from the filters. A cursor without filters beside it brings its own. */
export function resolvePage(
  endpoint: Endpoint,
  orgId: string,
  texts: QueryTexts,
  limit: number | undefined,
): ListRequest {
  const filters = new Map([...texts].filter(([name]) => !PAGING.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
  const cursor = texts.get("cursor");
  if (cursor === undefined) {
    if (limit === undefined) return { page: undefined, filters, isOwn: false };
    if (Buffer.byteLength(JSON.stringify([...filters])) > FILTERS_MAX_BYTES) {
      const message = `goes with filters of at most ${FILTERS_MAX_BYTES} bytes; send fewer values, or leave it out`;
      throw parameterError([{ field: "limit", message }]);
    }
    return { page: { limit, after: undefined }, filters, isOwn: false };
  }
  const foreign = "was not given out by this list; use meta.nextCursor of the same list";
  const parts = openCursor(cursor, cursorParts, [endpoint.name, orgId], foreign);
  const [ownFilters, ownLimit, value, id] = parts;
  if (!canBeSortedBy(endpoint, parts)) throw wrongCursor(NEVER_GIVEN_OUT);
  if (filters.size > 0 && meaningOf(endpoint, [...filters]) !== meaningOf(endpoint, ownFilters)) {
    throw wrongCursor(
      "belongs to other filters or another sort; repeat those of its first page, or send the cursor alone",
    );
  }
  return { page: { limit: limit ?? ownLimit, after: { value, id } }, filters: new Map(ownFilters), isOwn: true };
}

/** Several values of a filter mean the same in any order. */
function meaningOf({ query }: Endpoint, filters: readonly [string, string][]): string {
  const meant = filters.map(([name, text]) => {
    const value = Object.hasOwn(query, name) ? query[name]?.parse(text) : undefined;
    return [name, Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : text];
  });
  return JSON.stringify(meant);
}

export function encodeCursor(
  endpoint: Endpoint,
  orgId: string,
  request: ListRequest,
  limit: number,
  next: Position,
): string {
  return sealCursor([endpoint.name, orgId], [[...request.filters], limit, next.value, next.id]);
}

/** Behind a check that ties the parts to the list they are of: a slip, not a seal, for there is nothing behind it to protect. */
export function sealCursor(list: readonly string[], parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([checkOf(list, parts), ...parts])).toString("base64url");
}

/** `foreign` says what is wrong with a cursor of another list. */
export function openCursor<Parts extends z.ZodTuple>(
  cursor: string,
  schema: Parts,
  list: readonly string[],
  foreign: string,
): z.output<Parts> {
  const [check, ...rest] = readParts(cursor);
  const parts = schema.safeParse(rest).data;
  if (parts === undefined) throw wrongCursor(NEVER_GIVEN_OUT);
  if (check !== checkOf(list, parts)) throw wrongCursor(foreign);
  return parts;
}

function readParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function checkOf(list: readonly string[], parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify([...list, ...parts]), "base64url").slice(0, 12);
}

const ID = new RegExp(`^[a-z]+_${ID_SUFFIX}$`);

/**
 * Anybody can make a cursor up, and a database that is strict about types answers a value of another type, or a text
 * that it cannot hold, with an error.
 */
function canBeSortedBy(endpoint: Endpoint, [filters, , value, id]: CursorParts): boolean {
  if (!ID.test(id)) return false;
  if (value === null) return true;
  const { sort } = endpoint.query as { sort: SortParameter };
  const asked = filters.find(([name]) => name === "sort")?.[1];
  const field = asked === undefined ? sort.usualField : asked.replace(/^-/, "");
  const schema = endpoint.result instanceof z.ZodObject ? endpoint.result.shape[field] : undefined;
  const plain = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  if (plain instanceof z.ZodBoolean) return value === 0 || value === 1;
  if (plain instanceof z.ZodNumberFormat) return Number.isSafeInteger(value);
  if (plain instanceof z.ZodNumber) return Number.isFinite(value);
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}

export function wrongCursor(message: string) {
  return parameterError([{ field: "cursor", message }]);
}
