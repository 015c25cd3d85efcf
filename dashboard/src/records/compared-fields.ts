/** Two versions of a record and what one person wrote, field by field. */
import { kindOfId } from "./record-kinds.ts";

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
/** What an assignment shows of its player and its team, or follows from its role. */
const NOT_OF_ASSIGNMENTS = new Set(["playerId", "ign", "realName", "status", "teamName", "game", "kind"]);

/**
 * The fields that either has changed, those that the person wrote first; where nobody has changed any, what the person wrote. A move may have
 * been seen as the player's and meet an assignment, or the other way round: then only what both have is compared.
 */
export function compareFields(seen: object | undefined, current: Values, written: Values): ComparedField[] {
  const before = (seen ?? {}) as Values;
  const isAssignment = kindOfId(String(current.id)) === "assignment";
  const theirs = Object.keys(current).filter(
    (field) =>
      field in before && !isSame(before[field], current[field]) && !(isAssignment && NOT_OF_ASSIGNMENTS.has(field)),
  );
  const fields = new Set([...Object.keys(written), ...theirs].filter((field) => !NOT_COMPARED.has(field)));
  const compared = [...fields].map((field) => ({
    field,
    seen: before[field] ?? null,
    theirs: current[field] ?? null,
    yours: written[field],
  }));
  const changed = compared.filter(
    ({ seen, theirs, yours }) => !isSame(seen, theirs) || (yours !== undefined && !isSame(yours, theirs)),
  );
  return changed.length === 0 ? compared : changed;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
