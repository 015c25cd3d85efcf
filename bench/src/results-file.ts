/** Results as they are written to files: all figures, of which no more digits are kept than mean anything. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const DIGITS = 5;

export function toFigures(result: unknown): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  return `${JSON.stringify(result, rounded, 2)}\n`;
}

export function writeResult(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  process.stderr.write(`Wrote ${file}.\n`);
}
