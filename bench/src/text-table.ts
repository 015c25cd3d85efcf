/** Columns of text, the first to the left and the figures to the right. */
import type { Spread } from "./statistics.ts";

export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

export function formatRounds(rounds: number): string {
  return rounds === 1 ? "1 round" : `${rounds} rounds`;
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function formatMs(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

export function formatSpread({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}
