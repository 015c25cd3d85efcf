import { downloadText } from "../ui/download-text.ts";

/** By it spreadsheets know that a file is in UTF-8; an import leaves it out. */
export const BYTE_ORDER_MARK = "\u{FEFF}";

/** Hands a CSV file to the browser, as spreadsheets like it. */
export function downloadSheet(fileName: string, csv: string): void {
  downloadText(fileName, BYTE_ORDER_MARK + csv, "text/csv");
}
