/** Before and after of a change, field by field, as texts a person can compare. */
import { AUDIT_TEXTS } from "../texts/audit-texts.ts";
import { sayExactly } from "../ui/time-words.ts";

export interface FieldChange {
  readonly field: string;
  readonly label: string;
  readonly kind: "set" | "cleared" | "changed";
  readonly before: string;
  readonly after: string;
}

type Pair = readonly [unknown, unknown];

export function listFieldChanges(changes: Readonly<Record<string, Pair>> | null): FieldChange[] {
  return Object.entries(changes ?? {}).map(([field, [before, after]]) => ({
    field,
    label: labelField(field),
    kind: kindOf(before, after),
    before: showValue(field, before),
    after: showValue(field, after),
  }));
}

function kindOf(before: unknown, after: unknown): FieldChange["kind"] {
  if (isNothing(before)) return "set";
  return isNothing(after) ? "cleared" : "changed";
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

/** `contractEndDate` → "Contract end date". */
export function labelField(field: string): string {
  const words = field
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[._-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const MOMENT_FIELD = /(At|Date|Since|Until)$/;
/** From 1973 on; below that a number is more likely a count. */
const MOMENT_MIN = 100_000_000_000;

/** A value as text; moments in the viewer's zone, objects as JSON over several lines. */
export function showValue(field: string, value: unknown): string {
  if (isNothing(value)) return AUDIT_TEXTS.nothing;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    return MOMENT_FIELD.test(field) && value >= MOMENT_MIN ? sayExactly(value) : String(value);
  }
  if (Array.isArray(value) && value.every((each) => typeof each === "string" || typeof each === "number")) {
    return value.join(", ");
  }
  return JSON.stringify(value, null, 2);
}
