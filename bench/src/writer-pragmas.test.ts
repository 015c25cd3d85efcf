import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { WRITER_PRAGMAS } from "./writer-pragmas.ts";

test("the loop that creates are held against has every pragma of the store's writer, and no other", () => {
  const source = readFileSync(new URL("../../server/src/store/sqlite.ts", import.meta.url), "utf8");
  const opening = /\nfunction openConnection\([\s\S]*?\n}\n/.exec(source)?.[0] ?? "";
  const kept = /const JOURNAL_KEPT_BYTES = ([\d *_]+);/.exec(source)?.[1] ?? "";
  const bytes = kept.split("*").reduce((product, factor) => product * Number(factor.trim()), 1);
  const pragmas = [...opening.matchAll(/\.pragma\(["`]([^"`]+)["`]\)/g)].map(([, text]) =>
    (text ?? "").replace(`${"$"}{JOURNAL_KEPT_BYTES}`, String(bytes)),
  );
  expect(pragmas.toSorted()).toEqual([...WRITER_PRAGMAS].toSorted());
});
