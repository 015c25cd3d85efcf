/** Before and after of a change, field by field, as texts a person can compare. */
import { nameCountry } from "../records/country-names.ts";
import { AUDIT_TEXTS } from "../texts/audit-texts.ts";
import { sayExactly, sayUtcExactly } from "../ui/time-words.ts";

export interface FieldChange {
  readonly field: string;
  readonly label: string;
  readonly kind: "set" | "cleared" | "changed";
  readonly before: string;
  readonly after: string;
}

type Pair = readonly [unknown, unknown];

/** What a record is called, by its id; undefined where that is not known. */
export type NameOf = (id: string) => string | undefined;

export function listFieldChanges(changes: Readonly<Record<string, Pair>> | null, nameOf?: NameOf): FieldChange[] {
  return Object.entries(changes ?? {}).map(([field, [before, after]]) => ({
    field,
    label: labelField(field),
    kind: kindOf(before, after),
    before: showValue(field, before, nameOf),
    after: showValue(field, after, nameOf),
  }));
}

function kindOf(before: unknown, after: unknown): FieldChange["kind"] {
  if (isNothing(before)) return "set";
  return isNothing(after) ? "cleared" : "changed";
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

/** `contractEndDate` → "Contract end date", `isCaptain` → "Captain". Teams are named; a nationality is called what the pages call it. */
export function labelField(field: string): string {
  const words = (field === "nationality" ? "country" : field)
    .replace(/^is(?=[A-Z])/, "")
    .replace(/(?<=team)Id$/i, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[._-]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const MOMENT_FIELD = /(^at|At|Date|Since|Until)$/;
/** Typed as days, which are days in UTC. */
const DAY_FIELD = /^(\w*Date|signedAt|terminatedAt|lastContactAt)$/;
/** From 1973 on; below that a number is more likely a count. */
const MOMENT_MIN = 100_000_000_000;

/** A value as text; moments in the viewer's zone, days in UTC, objects as JSON over several lines. */
export function showValue(field: string, value: unknown, nameOf?: NameOf): string {
  if (isNothing(value)) return AUDIT_TEXTS.nothing;
  if (typeof value === "string") return field === "nationality" ? nameCountry(value) : (nameOf?.(value) ?? value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    if (!MOMENT_FIELD.test(field) || value < MOMENT_MIN) return String(value);
    return DAY_FIELD.test(field) ? sayUtcExactly(value) : sayExactly(value);
  }
  if (Array.isArray(value) && value.every((each) => typeof each === "string" || typeof each === "number")) {
    return value.join(", ");
  }
  return JSON.stringify(value, null, 2);
}
