/** Codes that stand in for the second factor, each once. People write them down and type them in, so they have no letters that look alike. */
import { randomInt } from "node:crypto";

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const CODES = 10;
/** Of five bits each. */
const CODE_LENGTH = 10;

export function makeRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const code = Array.from({ length: CODE_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
    return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
  });
}

/** As it was made, however it was typed. */
export function readRecoveryCode(typed: string): string {
  const letters = typed
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}
