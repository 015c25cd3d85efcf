/** Countries by the names that people know them by. What is written is the code. */
import { COUNTRY_CODES, isCountryCode } from "@lineup/api/countries";

const names = new Intl.DisplayNames("en", { type: "region" });

export interface CountryChoice {
  readonly value: string;
  readonly label: string;
}

export const COUNTRIES: readonly CountryChoice[] = [...COUNTRY_CODES]
  .map((code) => ({ value: code, label: nameCountry(code) }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

/** What is no code, as a prospect's nationality need not be, stays as it is. */
export function nameCountry(code: string): string {
  return isCountryCode(code) ? (names.of(code) ?? code) : code;
}

/** What people type where the list has another name. */
const ALSO: Readonly<Record<string, string>> = { AE: "uae", CZ: "czech republic", GB: "uk", TR: "turkey", US: "usa" };

/** Without case and marks, as people type. */
function foldText(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll("’", "'")
    .trim()
    .toLowerCase();
}

/** Undefined where it does not match. The code and the whole name come first, then what begins so, then what has it somewhere. */
function rankOf({ value, label }: CountryChoice, text: string): number | undefined {
  const name = foldText(label);
  if ([value.toLowerCase(), name, ALSO[value]].includes(text)) return 0;
  if (name.startsWith(text) || ALSO[value]?.startsWith(text)) return 1;
  return name.includes(text) ? 2 : undefined;
}

export function findCountries<T extends CountryChoice>(choices: readonly T[], typed: string): T[] {
  const text = foldText(typed);
  return choices
    .flatMap((choice) => {
      const rank = rankOf(choice, text);
      return rank === undefined ? [] : [{ choice, rank }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ choice }) => choice);
}

/** The country that is called so, or whose code it is; else the only one that begins so. */
export function readCountry(typed: string): string | undefined {
  const text = foldText(typed);
  const ranked = COUNTRIES.map((choice) => ({ ...choice, rank: rankOf(choice, text) }));
  const beginning = ranked.filter(({ rank }) => rank === 1);
  const meant = ranked.find(({ rank }) => rank === 0) ?? (beginning.length === 1 ? beginning[0] : undefined);
  return meant?.value;
}
