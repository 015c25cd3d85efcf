/**
 * Texts in which two databases could differ: in case and accents, in order, in what they normalize, trim or take for a pattern. There
 * are few of them, so that records share beginnings and whole names, and searches find something.
 */
import fc from "fast-check";

const PIECES = [
  ..."aAbBzZ019_-%\\'\"~!.,:;()$",
  "ä",
  "Ä",
  "ae",
  "é",
  "e\u0301",
  "ß",
  "ẞ",
  "SS",
  "ss",
  "i",
  "I",
  "ı",
  "İ",
  "ñ",
  "n",
  "ø",
  "Å",
  "A\u030a",
  "ﬁ",
  "ǅ",
  "ŉ",
  "Σ",
  "σ",
  "ς",
  "Ж",
  "ж",
  "א",
  "שלום",
  "مرحبا",
  "٣",
  "中",
  "日本",
  "あ",
  "ア",
  "ｱ",
  "한",
  "ก",
  "क्ष",
  "😀",
  "👩‍👩‍👧",
  "🇸🇪",
  "𐐷",
  "𝄞",
  "\u{10ffff}",
  "\uffee",
  "\u200b",
  "\u00a0",
  "\u2028",
  "$1",
  "?",
  "NULL",
  "Vex",
  "vex",
  "VEX",
];

export const word = fc.constantFrom(...PIECES);

/** Never empty once the blanks around it are gone. */
export const name = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((pieces) => pieces.join(""))
  .filter((text) => text.trim() !== "" && text.length <= 60);

export const longText = fc
  .array(fc.oneof({ weight: 8, arbitrary: word }, { weight: 1, arbitrary: fc.constantFrom("\n", "\r\n", " ") }), {
    maxLength: 12,
  })
  .chain((pieces) => fc.constantFrom(1, 1, 1, 40).map((times) => pieces.join("").repeat(times)));

/** What no database of ours holds: refused before it gets there. */
export const unfit = fc.constantFrom("\0", "a\0b", "\u0007", "\ud800", "x\udc00y", "", "  ", "x".repeat(201));
