/** Numbers as they are read. */
const whole = new Intl.NumberFormat("en");
const oneDigit = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const sayNumber = (value: number): string => whole.format(value);

/** Milliseconds: "0.8 ms", "1.2 s". */
export function sayDuration(ms: number): string {
  return ms < 1000 ? `${oneDigit.format(ms)} ms` : `${oneDigit.format(ms / 1000)} s`;
}
