import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("..", import.meta.url));
const STYLES = join(dirname(createRequire(import.meta.url).resolve("@mantine/core/styles.css")), "styles");

function listUsed(): Set<string> {
  const used = new Set<string>();
  for (const file of globSync("**/*.tsx", { cwd: SOURCES })) {
    const text = readFileSync(join(SOURCES, file), "utf8");
    // Such as Radio.Card, whose styles are a file of their own.
    for (const [, owner, part] of text.matchAll(/\b([A-Z]\w+)\.([A-Z]\w+)/g)) used.add(`${owner}${part}`);
    for (const [, names] of text.matchAll(/^import \{([^}]+)\} from "@mantine\/core";/gm)) {
      for (const name of (names ?? "").split(",")) used.add(name.replace(/\btype\b|\bas \w+/g, "").trim());
    }
  }
  return used;
}

test("loads the styles of every Mantine component that a page uses", () => {
  const loaded = readFileSync(join(SOURCES, "styles/mantine-parts.css"), "utf8");
  const missing = [...listUsed()]
    .filter((name) => existsSync(join(STYLES, `${name}.css`)))
    .filter((name) => !loaded.includes(`"@mantine/core/styles/${name}.layer.css"`));
  expect(missing, "add them to dashboard/src/styles/mantine-parts.css").toEqual([]);
});
