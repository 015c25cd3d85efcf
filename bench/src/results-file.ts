/** Results as they are written to files: all figures, of which no more digits are kept than mean anything. */

const DIGITS = 5;

export function toFigures(result: unknown): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  return `${JSON.stringify(result, rounded, 2)}\n`;
}
