/** Moments as texts, for those who need one for nearly every millisecond: most of such a text is the same for a whole second. */

let writtenSecond = Number.NaN;
let upToMilliseconds = "";
const ENDINGS = Array.from({ length: 1_000 }, (_, ms) => `${String(ms).padStart(3, "0")}Z`);

/** What `toISOString` says of a whole number of milliseconds since the Unix epoch. */
export function isoTime(ms: number): string {
  const second = Math.floor(ms / 1_000);
  if (second !== writtenSecond) {
    upToMilliseconds = new Date(second * 1_000).toISOString().slice(0, -"000Z".length);
    writtenSecond = second;
  }
  return upToMilliseconds + ENDINGS[ms - second * 1_000];
}
