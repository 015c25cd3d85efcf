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

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Whether a page is looked at anew, or in other colours, which only some rules are about. */
export type Judged = "everything" | "colours";

/** All that is wrong on the page as it is now, one text each. */
export async function findViolations(page: Page, judged: Judged = "everything"): Promise<string[]> {
  const runOnly = judged === "everything" ? { type: "tag", values: TAGS } : { type: "rule", values: COLOUR_RULES };
  // Evaluated from outside, which no policy of the page forbids.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await source);
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  const result = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResult;
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
