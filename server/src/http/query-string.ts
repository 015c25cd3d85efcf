/** Reads a query string by an endpoint's table of parameters: all faults at once. */
import { type ErrorDetail, parameterError } from "@lineup/api/errors";
import { printableName } from "@lineup/api/fields";
import { findNearestName } from "@lineup/api/nearest-name";
import { ParameterFault, type ParameterTable } from "@lineup/api/parameters";

/** The texts of the parameters, by name, as the client wrote them. */
export type QueryTexts = ReadonlyMap<string, string>;

export interface SplitQuery {
  readonly texts: QueryTexts;
  readonly faults: readonly ErrorDetail[];
}

const NOT_ENCODED =
  "is not valid percent-encoded UTF-8; write a percent sign itself as %25, and what is not ASCII as the bytes of its UTF-8";

const NOTHING: SplitQuery = { texts: new Map(), faults: [] };

export function splitQuery(queryString: string): SplitQuery {
  if (queryString === "") return NOTHING;
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
      faults.push({ field: printableName(name), message: unknownParameter(table, name, route) });
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
