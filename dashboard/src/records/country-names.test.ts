import { COUNTRY_CODES } from "@lineup/api/countries";
import { expect, test } from "vitest";
import { COUNTRIES, findCountries, nameCountry, readCountry } from "./country-names.ts";

const find = (typed: string) => findCountries(COUNTRIES, typed)[0]?.label;

test("offers every code that the server takes, each by a name", () => {
  expect(new Set(COUNTRIES.map(({ value }) => value))).toEqual(COUNTRY_CODES);
  expect(COUNTRIES.filter(({ value, label }) => value === label)).toEqual([]);
});

test("finds by code, then by how a name begins, then by any part of it", () => {
  expect(find("ge")).toBe("Georgia");
  expect(find("ger")).toBe("Germany");
  expect(find("guinea")).toBe("Guinea");
  expect(find("se")).toBe("Sweden");
  expect(find("ivoire")).toContain("Ivoire");
});

test("finds what is typed without marks, and by the name that people know", () => {
  expect(["cote d'iv", "reunion", "turkey", "usa", "uk"].map(find)).toEqual([
    nameCountry("CI"),
    nameCountry("RE"),
    nameCountry("TR"),
    nameCountry("US"),
    nameCountry("GB"),
  ]);
});

test("takes a name or a code for its country, and the beginning of a name where it can mean no other", () => {
  expect(["Germany", " germ ", "niger", " sE ", "ge", "uk"].map(readCountry)).toEqual([
    "DE",
    "DE",
    "NE",
    "SE",
    "GE",
    "GB",
  ]);
  expect(["g", "united", "many", "nowhere", ""].map(readCountry)).toEqual(Array(5).fill(undefined));
  expect([...COUNTRY_CODES].filter((code) => readCountry(code) !== code)).toEqual([]);
});

test("leaves what is no code as it is", () => {
  expect(["SE", "Swedish", "se"].map(nameCountry)).toEqual(["Sweden", "Swedish", "se"]);
});
