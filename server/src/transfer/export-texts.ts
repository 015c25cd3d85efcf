/** An organization's data as the texts of files, of one moment, for a page that hands them to the browser. Bounded, for all is in memory at once. */
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";
import { type ExportFile, type ExportSummary, type ExportTarget, writeCsv, writeJson } from "./write-export.ts";

const CHARACTERS_MAX = 48 * 1024 * 1024;

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** The data is more than is handed over at once. */
export class ExportTooLarge extends Error {}

export async function exportTexts(
  store: Store,
  orgId: string,
  format: "csv" | "json",
  tables: readonly TableName[] = TABLE_NAMES,
): Promise<{ readonly files: readonly TextFile[]; readonly rows: ExportSummary }> {
  const texts = new Texts();
  const rows = await store.readOrgAtOnce(orgId, async (org: OrgStore) => {
    if (format === "csv") return writeCsv(org, texts, () => {}, tables);
    return writeJson(org, await texts.begin("lineup.json"), () => {}, tables);
  });
  return { files: texts.files, rows };
}

class Texts implements ExportTarget {
  readonly #pieces = new Map<string, string[]>();
  #characters = 0;

  async begin(name: string): Promise<ExportFile> {
    const pieces: string[] = [];
    this.#pieces.set(name, pieces);
    return {
      appendFile: async (text) => {
        this.#characters += text.length;
        if (this.#characters > CHARACTERS_MAX) throw new ExportTooLarge("The data is larger than one download.");
        pieces.push(text);
      },
    };
  }

  get files(): TextFile[] {
    return [...this.#pieces].map(([name, pieces]) => ({ name, text: pieces.join("") }));
  }
}
