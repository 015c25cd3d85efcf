import { expect, test } from "vitest";
import { readRowSort, sortRows, writeRowSort } from "./sort-rows.ts";

interface Row {
  readonly name: string;
  readonly age: number | null;
}

const ROWS: readonly Row[] = [
  { name: "b10", age: 3 },
  { name: "B2", age: null },
  { name: "a", age: 1 },
  { name: "", age: 2 },
];
const COLUMNS = [
  { key: "name", sortValue: (row: Row) => row.name },
  { key: "age", sortValue: (row: Row) => row.age },
  { key: "plain" },
];

const names = (sort: string) => sortRows(ROWS, COLUMNS, readRowSort(sort)).map(({ name }) => name);

test("sorts texts in any case and by the numbers in them, with empty ones last both ways", () => {
  expect(names("name")).toEqual(["a", "B2", "b10", ""]);
  expect(names("-name")).toEqual(["b10", "B2", "a", ""]);
});

test("sorts numbers by size, with unknown ones last both ways", () => {
  expect(names("age")).toEqual(["a", "", "b10", "B2"]);
  expect(names("-age")).toEqual(["b10", "", "a", "B2"]);
});

test("leaves the order alone where the column is unknown or does not sort", () => {
  expect(sortRows(ROWS, COLUMNS, { key: "plain", descending: false })).toBe(ROWS);
  expect(sortRows(ROWS, COLUMNS, { key: "nobody", descending: true })).toBe(ROWS);
});

test("reads from an address what it wrote there", () => {
  for (const sort of [undefined, { key: "ign", descending: false }, { key: "ign", descending: true }]) {
    expect(readRowSort(writeRowSort(sort))).toEqual(sort);
  }
});
