import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("..", import.meta.url));
const API = fileURLToPath(new URL("../../../api/src", import.meta.url));
/** Imports of values; those of types alone are gone before the browser sees them. */
const VALUE_IMPORT = /^(?:import|export) (?!type\b)(?:[^;]*?\bfrom )?"([^"]+)";/gms;

function listImports(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(VALUE_IMPORT)].flatMap(([, from]) => from ?? []);
}

/** The way from a file of the API's to zod, if there is one. */
function findWayToZod(file: string, seen = new Set<string>()): string[] | undefined {
  if (seen.has(file)) return undefined;
  seen.add(file);
  for (const from of listImports(file)) {
    if (from === "zod") return [file];
    const way = from.startsWith(".") ? findWayToZod(join(dirname(file), from), seen) : undefined;
    if (way !== undefined) return [file, ...way];
  }
  return undefined;
}

test("finds what leads to schemas", () => {
  expect(findWayToZod(join(API, "dashboard/keys.ts"))).toBeDefined();
});

test("brings no schema to the browser: pages import from the API only files without any", () => {
  const ways = globSync("**/*.{ts,tsx}", { cwd: SOURCES })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) =>
      listImports(join(SOURCES, file))
        .filter((from) => from.startsWith("@lineup/api/"))
        .map((from) => ({ file, way: findWayToZod(join(API, `${from.slice("@lineup/api/".length)}.ts`)) })),
    )
    .filter(({ way }) => way !== undefined);
  expect(ways).toEqual([]);
});
