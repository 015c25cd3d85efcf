/** The first letters of the first and the last word that have any, never half a character; undefined where no word has one. */
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

export function findInitials(name: string): string | undefined {
  const letters = name.split(/\s+/).flatMap((word) => findFirstLetter(word) ?? []);
  const [first] = letters;
  if (first === undefined) return undefined;
  return `${first}${letters.length > 1 ? letters.at(-1) : ""}`.toUpperCase();
}

function findFirstLetter(word: string): string | undefined {
  for (const { segment } of segmenter.segment(word)) if (/^[\p{L}\p{N}]/u.test(segment)) return segment;
  return undefined;
}
