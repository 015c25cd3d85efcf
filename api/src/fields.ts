/**
 * The kinds of values that fields hold: one schema a kind, with messages that say what is allowed. Resources are put
 * together from these, so that a rule such as "trimmed, no control characters" stands in one place for the API, the
 * importer and every later door.
 */
import * as z from "zod";
import { isCountryCode } from "./countries.ts";
import { idPattern } from "./ids.ts";
import { ALL_ROLES } from "./roles.ts";

export const SHORT_TEXT_MAX = 200;
export const NOTES_MAX = 10_000;
export const URL_MAX = 2_048;
export const EXTERNAL_IDS_MAX = 20;
export const STATS_MAX = 50;
export const TAGS_MAX = 20;
/** The range of ECMAScript dates, ±100 million days around 1970. */
export const TIMESTAMP_MAX = 8_640_000_000_000_000;

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINE_BREAKS = /[^\P{Cc}\n\r]/u;
const SYSTEM_NAME = /^[a-z0-9_-]{1,64}$/;

/** What is wrong with a text, as the end of a sentence that starts with the field's name; undefined when nothing is. */
export function findTextFault(text: string, min: number, max: number, lineBreaks = false): string | undefined {
  if (!text.isWellFormed()) return "holds half of a surrogate pair; send well-formed Unicode";
  if ((lineBreaks ? CONTROL_BUT_LINE_BREAKS : CONTROL).test(text)) return "must not hold control characters";
  // Characters are code points: an emoji counts once, whatever UTF-16 makes of it.
  const length = text.length <= max ? text.length : [...text].length;
  if (length > max) return `must have at most ${max} characters`;
  if (length < min) return min === 1 ? "must not be empty" : `must have at least ${min} characters`;
  return undefined;
}

function text(min: number, max: number, lineBreaks = false) {
  return z
    .string({ error: "must be a string" })
    .trim()
    .check((context) => {
      const fault = findTextFault(context.value, min, max, lineBreaks);
      if (fault !== undefined) context.issues.push({ code: "custom", message: fault, input: context.value });
    })
    .meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });
}

export const ign = text(1, 64).describe("In-game name");
/** A required short text, such as a title. */
export const shortText = text(1, SHORT_TEXT_MAX);
/** A short text that may be empty: what is optional, or unknown, may be said with no words. */
export const shortTextOrEmpty = text(0, SHORT_TEXT_MAX);
export const notes = text(0, NOTES_MAX, true);
export const boolean = z.boolean({ error: "must be true or false" });

/** JSON has a zero below zero. It is zero to everybody but to comparisons, which would see a change where none is. */
function plainZero(value: number): number {
  return value + 0;
}

export const timestamp = z
  .int({ error: "must be a whole number of milliseconds since the Unix epoch" })
  .min(-TIMESTAMP_MAX, { error: "lies before the earliest possible date" })
  .max(TIMESTAMP_MAX, { error: "lies after the latest possible date; send milliseconds since the Unix epoch" })
  .overwrite(plainZero)
  .meta({ description: "Milliseconds since the Unix epoch", example: 1_735_689_600_000 });

export function integer(min: number, max: number) {
  return z
    .int({ error: `must be a whole number from ${min} to ${max}` })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` })
    .overwrite(plainZero);
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `must be one of ${values.join(", ")}` });
}

/**
 * A role of some game. Any string passes here, and the values are for the reference alone: which of them fit is known with the game,
 * and a role that does not fit has an error code of its own.
 */
export function role(example: string, error = "must be a string") {
  return z.string({ error }).meta({ enum: [...ALL_ROLES], example });
}

export function idOf(prefix: string) {
  return z
    .string({ error: `must be a string of the form ${prefix}_…` })
    .regex(idPattern(prefix), { error: `must be an id of the form ${prefix}_…` })
    .meta({ example: `${prefix}_01jb8v6k3ze5xr9m4q7w2t5n8d` });
}

export const countryCode = z
  .string({ error: "must be an ISO 3166-1 alpha-2 code such as SE, or null" })
  .refine(isCountryCode, { error: "must be an ISO 3166-1 alpha-2 code in capitals, such as SE" })
  .meta({ pattern: "^[A-Z]{2}$", example: "SE", description: "ISO 3166-1 alpha-2" });

/**
 * URL parsers mend what they are given; the pattern takes only what begins as a URL does, for not every reader mends alike. The
 * reference shows the same pattern, and no `format: uri`: that allows ASCII alone, and https://ä.de/ü is a URL to every browser.
 */
function url(scheme: string, wanted: string, example: string) {
  const pattern = `^${scheme}://[^\\s/?#\\\\]\\S*$`;
  const matcher = new RegExp(pattern, "u");
  return z
    .string({ error: `must be a URL that begins with ${wanted}` })
    .trim()
    .refine((value) => findTextFault(value, 1, URL_MAX) === undefined && matcher.test(value) && URL.canParse(value), {
      error: `must be a URL that begins with ${wanted}, of at most ${URL_MAX} characters`,
    })
    .meta({ pattern, maxLength: URL_MAX, example });
}

// A scheme may be written in capitals, and JSON Schema has no flag for that.
export const httpsUrl = url("[Hh][Tt][Tt][Pp][Ss]", "https://", "https://cdn.example.com/portraits/vex.png");
export const webUrl = url("[Hh][Tt][Tt][Pp][Ss]?", "https:// or http://", "https://example.com/live");

export const ianaTimezone = z
  .string({ error: "must be an IANA time zone such as Europe/Berlin" })
  .refine((name) => findTimezone(name) !== undefined, { error: "must be an IANA time zone such as Europe/Berlin" })
  .overwrite(spellTimezone)
  .meta({ example: "Europe/Berlin" });

function findTimezone(name: string): string | undefined {
  // Intl also takes offsets such as +02:00, which are not names.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name) || name.length > SHORT_TEXT_MAX) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Intl takes a name in any case; others look it up letter by letter. An older name of a zone stays as it is. */
function spellTimezone(name: string): string {
  const zone = findTimezone(name);
  return zone?.toLowerCase() === name.toLowerCase() ? zone : name;
}

/** An object of names and values whose every entry is checked, with faults that name the entry. */
function dictionary<V extends z.ZodType>(
  value: V,
  max: number,
  noun: string,
  findNameFault: (name: string) => string | undefined,
) {
  return z
    .custom<Record<string, unknown>>((input) => typeof input === "object" && input !== null && !Array.isArray(input), {
      error: "must be an object",
    })
    .transform((input, context): Record<string, z.output<V>> => {
      const entries = Object.entries(input);
      if (entries.length > max) {
        context.issues.push({ code: "custom", message: `must have at most ${max} ${noun}`, input });
        return z.NEVER;
      }
      const checked: [string, z.output<V>][] = [];
      const names = new Set<string>();
      for (const [rawName, rawValue] of entries) {
        const name = rawName.trim();
        const nameFault = findNameFault(name);
        if (nameFault !== undefined) {
          context.issues.push({ code: "custom", message: nameFault, input, path: [printableName(rawName)] });
          continue;
        }
        if (names.has(name)) {
          const message = "is there twice, once the blanks around it are gone; send it once";
          context.issues.push({ code: "custom", message, input, path: [name] });
          continue;
        }
        names.add(name);
        const result = value.safeParse(rawValue);
        if (result.success) checked.push([name, result.data]);
        else {
          const message = result.error.issues[0]?.message ?? "is not valid";
          context.issues.push({ code: "custom", message, input: rawValue, path: [name] });
        }
      }
      return Object.fromEntries(checked);
    });
}

/** A name from a client, made fit to appear in an error message. */
export function printableName(name: string): string {
  const visible = name.toWellFormed().replaceAll(/\p{Cc}/gu, "\u{FFFD}");
  return visible.length > 64 ? `${visible.slice(0, 64)}…` : visible;
}

const findSystemFault = (name: string) =>
  SYSTEM_NAME.test(name) ? undefined : "is not a system name; use a–z, 0–9, _ and -, at most 64 characters";
const findStatNameFault = (name: string) => findTextFault(name, 1, SHORT_TEXT_MAX);

const externalId = text(1, SHORT_TEXT_MAX);
const statValue = z.union([z.number().overwrite(plainZero), text(0, SHORT_TEXT_MAX)], {
  error: "must be a finite number or a string of at most 200 characters without control characters",
});

const EXTERNAL_IDS_META = {
  description: "The record's ids in other systems: system name → id there",
  example: { liquipedia: "vex" },
};

export const externalIds = dictionary(externalId, EXTERNAL_IDS_MAX, "systems", findSystemFault).meta(EXTERNAL_IDS_META);
export const externalIdsPatch = dictionary(
  externalId.nullable(),
  EXTERNAL_IDS_MAX * 2,
  "systems",
  findSystemFault,
).meta({ ...EXTERNAL_IDS_META, description: "Merged into what is there; null removes a system" });
export const stats = dictionary(statValue, STATS_MAX, "entries", findStatNameFault).meta({
  description: "Name → number or string",
  example: { kda: 4.2, winRate: "61%" },
});
export const tags = z
  .array(shortText, { error: "must be an array of strings" })
  .max(TAGS_MAX, { error: `must have at most ${TAGS_MAX} tags` });

export const rating = z
  .number({ error: "must be a number from 0 to 10" })
  .min(0, { error: "must be at least 0" })
  .max(10, { error: "must be at most 10" })
  .overwrite(plainZero);
