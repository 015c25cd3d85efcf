/** Two versions of a record and what one person wrote, field by field. */
export interface ComparedField {
  readonly field: string;
  readonly seen: unknown;
  readonly theirs: unknown;
  /** Undefined where the person wrote nothing. */
  readonly yours: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** Follows from the others, or says only when. */
const NOT_COMPARED = new Set(["id", "updatedAt", "createdAt"]);

/** The fields that either has changed: those that the person wrote first. */
export function compareFields(seen: object | undefined, current: Values, written: Values): ComparedField[] {
  const before = (seen ?? {}) as Values;
  const theirs = Object.keys(current).filter((field) => seen !== undefined && !isSame(before[field], current[field]));
  const fields = new Set([...Object.keys(written), ...theirs].filter((field) => !NOT_COMPARED.has(field)));
  return [...fields].map((field) => ({
    field,
    seen: before[field] ?? null,
    theirs: current[field] ?? null,
    yours: written[field],
  }));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
