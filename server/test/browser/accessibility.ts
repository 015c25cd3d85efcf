/** Holds a page against the Web Content Accessibility Guidelines, as far as a program can: axe-core, run in the page. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface AxeNode {
  readonly target: readonly unknown[];
  readonly html: string;
  readonly failureSummary?: string;
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly help: string; readonly nodes: readonly AxeNode[] }[];
}

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All that is wrong on the page as it is now, one text each. */
export async function findViolations(page: Page): Promise<string[]> {
  // Evaluated from outside, which no policy of the page forbids.
  await page.evaluate(await source);
  const result = (await page.evaluate(
    `axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } })`,
  )) as AxeResult;
  return result.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes
        .slice(0, 5)
        .map(
          (node) =>
            `    ${node.target.join(" ")}  ${node.html.slice(0, 160)}\n      ${node.failureSummary?.replaceAll("\n", " ") ?? ""}`,
        )
        .join("\n")}`,
  );
}
