/** Reads the project's documents as data: their tables, their commands, their links. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A row by its column's heading. */
export type Row = Readonly<Record<string, string>>;

export interface Document {
  /** From the root of the project, such as docs/operating.md. */
  readonly path: string;
  readonly text: string;
}

export function readDocument(path: string): Document {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** Every document of the project. */
export function listDocuments(): Document[] {
  const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((file) => `docs/${file}`);
  return [...readdirSync(ROOT), ...inDocs, "sdk/README.md"].filter((path) => path.endsWith(".md")).map(readDocument);
}

const GUIDES = "server/src/http/guides";

/** What stands before the reference at /docs. */
export function listGuides(): (Document & { readonly name: string })[] {
  return readdirSync(join(ROOT, GUIDES)).map((file) => ({
    ...readDocument(`${GUIDES}/${file}`),
    name: file.replace(/\.md$/, ""),
  }));
}

/** The rows of all tables whose headings include these, in any of the documents. */
export function listTables(documents: readonly Document[], ...headings: readonly string[]) {
  return documents.flatMap(({ path, text }) =>
    tablesOf(text)
      .filter((rows) => headings.every((heading) => rows[0] !== undefined && heading in rows[0]))
      .map((rows) => ({ path, rows })),
  );
}

/** The rows of the one table of a document that has these headings. */
export function requireTable(document: Document, ...headings: readonly string[]): readonly Row[] {
  const [table, other] = listTables([document], ...headings);
  if (table !== undefined && other === undefined) return table.rows;
  throw new Error(`${document.path} must have one table with the headings ${headings.join(", ")}.`);
}

function tablesOf(text: string): Row[][] {
  return withoutCode(text)
    .split(/\n(?!\|)/)
    .map((block) => block.split("\n").filter((line) => line.startsWith("|")))
    .filter((lines) => lines.length > 2)
    .map(([head = "", , ...rows]) => {
      const headings = cellsOf(head);
      return rows.map((row) => Object.fromEntries(cellsOf(row).map((cell, index) => [headings[index] ?? "", cell])));
    });
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The texts in backticks. */
export function codeOf(cell: string | undefined): string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "");
}

/** What blocks of code of these languages hold. */
export function blocksOf(text: string, ...languages: readonly string[]): string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)];
  return blocks.filter(([, language]) => languages.includes(language ?? "")).map(([, , code]) => code ?? "");
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, "");
}

/** Links to files of the project, or of the folder given, that lead nowhere. */
export function listBrokenLinks(document: Document, root = ROOT): string[] {
  const folder = dirname(join(root, document.path));
  const links = [...withoutCode(document.text).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)];
  return links.flatMap(([, markdown, html]) => {
    const link = markdown ?? html ?? "";
    if (/^[a-z]+:/.test(link)) return [];
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(root, document.path) : resolve(folder, path);
    const isThere = existsSync(target) && !relative(root, target).startsWith("..");
    if (!isThere) return [link];
    if (anchor === undefined) return [];
    return listAnchors(readFileSync(target, "utf8")).includes(anchor) ? [] : [link];
  });
}

/** As GitHub makes them from headings. */
export function listAnchors(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

/** A command as the table writes it: `lineup key rotate KEY_ID [--overlap SPAN]`. */
export function readUsage(usage: string) {
  const path = /^lineup ((?:[a-z]+ ?)+)/.exec(usage)?.[1]?.trim() ?? usage;
  const rest = usage.slice(`lineup ${path}`.length);
  const flags = [...new Set([...rest.matchAll(/--[a-z-]+/g)].map(([flag]) => flag))];
  const words = rest
    .replaceAll(/--[a-z-]+(?: [A-Z]+…?)?/g, "")
    .split(/[^A-Z_]+/)
    .filter((word) => word !== "");
  return { path, flags, words };
}
