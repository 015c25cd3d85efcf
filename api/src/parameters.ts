/**
 * Query parameters as data. A parameter knows how to read its text, what to say when the text is wrong, and how the
 * reference describes it; endpoints list theirs by name.
 */
import { findTextFault, SHORT_TEXT_MAX, TIMESTAMP_MAX } from "./fields.ts";
import { ID_SUFFIX, isIdOf } from "./ids.ts";
import { parseInstant } from "./instants.ts";
import { findNearestName } from "./nearest-name.ts";

export interface Parameter<T> {
  readonly description: string;
  /** JSON Schema of the text as it stands in the URL. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number;
  /** Of a filter with fixed values: those that it takes. */
  readonly values?: readonly string[];
  /** Returns the value, or a `ParameterFault` that says what is allowed. */
  parse(text: string): T | ParameterFault;
}

export class ParameterFault {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

export type ParametersOf<Q extends ParameterTable> = {
  readonly [K in keyof Q]?: Q[K] extends Parameter<infer T> ? T : never;
};

/** The most values that one filter takes; what a URL can hold is far less than an attacker can make us search for. */
const FILTER_VALUES_MAX = 100;

function listParameter<T extends string>(
  description: string,
  example: string,
  schema: Readonly<Record<string, unknown>>,
  allowed: string,
  accepts: (value: string) => boolean,
): Parameter<readonly T[]> {
  return {
    description: `${description} Several values, separated by commas, mean any of them; at most ${FILTER_VALUES_MAX}.`,
    schema,
    example,
    parse(text) {
      const values = text.split(",").map((value) => value.trim());
      if (values.length > FILTER_VALUES_MAX) return new ParameterFault(`takes at most ${FILTER_VALUES_MAX} values`);
      const wrong = values.find((value) => !accepts(value));
      if (wrong !== undefined) return new ParameterFault(`must be ${allowed}`);
      return [...new Set(values)] as T[];
    },
  };
}

export function enumFilter<const T extends string>(values: readonly T[], description: string): Parameter<readonly T[]> {
  const alternatives = values.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const parameter = listParameter<T>(
    description,
    values[0] ?? "",
    { type: "string", pattern: `^(?:${alternatives})(?:,(?:${alternatives}))*$` },
    `one of ${values.join(", ")}, or several of them separated by commas`,
    (value) => (values as readonly string[]).includes(value),
  );
  return { ...parameter, values };
}

export function idFilter(
  prefix: string,
  description: string,
  options: { none?: boolean } = {},
): Parameter<readonly string[]> {
  const none = options.none === true ? "|none" : "";
  const one = `(?:${prefix}_${ID_SUFFIX}${none})`;
  return listParameter(
    description,
    `${prefix}_01jb8v6k3ze5xr9m4q7w2t5n8d`,
    { type: "string", pattern: `^${one}(?:,${one})*$` },
    `an id of the form ${prefix}_…${options.none === true ? ", or none" : ""}`,
    (value) => isIdOf(prefix, value) || (options.none === true && value === "none"),
  );
}

export function textFilter(description: string, example: string): Parameter<readonly string[]> {
  return listParameter(
    description,
    example,
    { type: "string", minLength: 1 },
    `a text of 1 to ${SHORT_TEXT_MAX} characters`,
    (value) => findTextFault(value, 1, SHORT_TEXT_MAX) === undefined,
  );
}

export function searchText(description: string): Parameter<string> {
  return {
    description: `${description} At most ${SHORT_TEXT_MAX} characters.`,
    schema: { type: "string", minLength: 1, maxLength: SHORT_TEXT_MAX },
    example: "vex",
    parse(text) {
      const wanted = text.trim();
      const fault = findTextFault(wanted, 1, SHORT_TEXT_MAX);
      return fault === undefined ? wanted : new ParameterFault(fault);
    },
  };
}

export function integerParameter(min: number, max: number, description: string, example: number): Parameter<number> {
  return {
    description,
    schema: { type: "integer", minimum: min, maximum: max },
    example,
    parse(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      return new ParameterFault(`must be a whole number from ${min} to ${max}`);
    },
  };
}

export function instantParameter(description: string): Parameter<number> {
  return {
    description: `${description} Milliseconds since the Unix epoch, or ISO 8601; without a zone it is UTC.`,
    schema: {
      anyOf: [
        { type: "integer", format: "int64", minimum: -TIMESTAMP_MAX, maximum: TIMESTAMP_MAX },
        { type: "string", format: "date-time" },
        { type: "string", format: "date" },
      ],
    },
    example: "2026-01-01T00:00:00Z",
    parse: (text) =>
      parseInstant(text.trim()) ??
      new ParameterFault("must be milliseconds since the Unix epoch or an ISO 8601 date or date-time"),
  };
}

export interface SortOrder {
  readonly field: string;
  readonly descending: boolean;
}

/** Far beyond what people compare, and short enough for a cursor. */
export const SORTED_CHARACTERS_MAX = 500;

export interface SortParameter extends Parameter<SortOrder> {
  /** The field that a list is sorted by where none is asked for. */
  readonly usualField: string;
}

export function sortParameter(fields: readonly string[], usual: string, usualField: string): SortParameter {
  return {
    usualField,
    description: `A field to sort by, or -field for the reverse. Nulls come last, ties go by id; texts go by code point, capitals before small letters, long ones by their first ${SORTED_CHARACTERS_MAX} characters. ${usual}`,
    schema: { type: "string", enum: fields.flatMap((field) => [field, `-${field}`]) },
    example: `-${fields.includes("updatedAt") ? "updatedAt" : (fields[0] ?? "id")}`,
    parse(text) {
      const descending = text.startsWith("-");
      const field = descending ? text.slice(1) : text;
      if (fields.includes(field)) return { field, descending };
      const near = findNearestName(field, fields);
      const hint = near === undefined ? "" : ` (did you mean ${descending ? "-" : ""}${near}?)`;
      return new ParameterFault(`must be one of ${fields.join(", ")}, or one of them after a minus${hint}`);
    },
  };
}

export interface ExternalIdRef {
  readonly system: string;
  readonly id: string;
}

export const externalIdParameter: Parameter<readonly ExternalIdRef[]> = {
  description: `The record with this id in another system, as system:id. Several, separated by commas, mean any of them; at most ${FILTER_VALUES_MAX}.`,
  schema: { type: "string", pattern: "^[a-z0-9_-]{1,64}:.+$" },
  example: "liquipedia:vex",
  parse(text) {
    // An id may itself hold a comma, so only a comma before another "system:" separates two.
    const pairs = text.split(/,(?=[a-z0-9_-]{1,64}:)/).map((pair) => /^([a-z0-9_-]{1,64}):(.+)$/su.exec(pair));
    if (pairs.length > FILTER_VALUES_MAX) return new ParameterFault(`takes at most ${FILTER_VALUES_MAX} values`);
    const refs: ExternalIdRef[] = [];
    for (const pair of pairs) {
      const id = pair?.[2]?.trim() ?? "";
      if (pair?.[1] === undefined || findTextFault(id, 1, SHORT_TEXT_MAX) !== undefined) {
        return new ParameterFault("must be system:id, such as liquipedia:vex");
      }
      refs.push({ system: pair[1], id });
    }
    return refs;
  },
};

export const LIMIT_MAX = 500;

export const limitParameter = integerParameter(
  1,
  LIMIT_MAX,
  "The most items to answer with. With it, `meta.nextCursor` and a `Link` header lead to the next page.",
  50,
);

/** Longer than any cursor that is given out, and with the rest of a request's head still within what the server reads. */
const CURSOR_MAX = 14_000;
const CURSOR = new RegExp(`^[A-Za-z0-9_-]{1,${CURSOR_MAX}}$`);

export const cursorParameter: Parameter<string> = {
  description:
    "Where to go on: `meta.nextCursor` of the page before. Carries that page's limit, filters and sort; a `limit` beside it replaces its own.",
  schema: { type: "string", minLength: 1, maxLength: CURSOR_MAX, pattern: "^[A-Za-z0-9_-]+$" },
  example: "WyJwbGF5ZXJzIl0",
  parse: (text) =>
    CURSOR.test(text) ? text : new ParameterFault("must be the meta.nextCursor of an earlier answer, as it was given"),
};

/** What every list takes. */
export function listParameters(
  sortable: readonly string[],
  usual = "By default, in order of creation.",
  usualField = "id",
) {
  return {
    limit: limitParameter,
    cursor: cursorParameter,
    sort: sortParameter(sortable, usual, usualField),
    updatedSince: instantParameter(
      "Only what has changed at or after this moment; for a copy, the latest `updatedAt` of it, less a minute.",
    ),
  };
}
