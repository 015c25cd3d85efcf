/**
 * Writes of one record by this browser follow each other. A person who is quicker than the page learns of its own writes has seen the record as their
 * last write makes it: the next one waits for the answer to that, and builds on its version, also while the page still shows the one before.
 * What others have changed is refused as ever, for a version of theirs is none that was seen or made here.
 */
import type { AnyRecord } from "./record-kinds.ts";

interface OwnWrite {
  /** The versions from which the record has come to the last one by writes made here alone; that one too. */
  readonly versions: ReadonlySet<number>;
  /** What the last one has made of it. */
  readonly last: AnyRecord;
}

const lastWrites = new Map<string, Promise<OwnWrite | undefined>>();

/** For the next person who signs in. */
export function forgetTurns(): void {
  lastWrites.clear();
}

/** `write` is given the record as one's own writes have made it since it was seen, if they have. */
export async function takeTurn<R>(
  recordId: string,
  seenAt: number,
  write: (last: AnyRecord | undefined) => Promise<R>,
): Promise<R> {
  const underWay = lastWrites.get(recordId);
  const result = (async () => {
    const earlier = await underWay;
    const own = earlier?.versions.has(seenAt) === true ? earlier : undefined;
    const written = await write(own?.last);
    return { written, before: own?.versions ?? [seenAt] };
  })();
  const told = result.then(
    ({ written, before }) => {
      const last = written as AnyRecord | undefined;
      // What a contract is renewed by is another record.
      return last?.id === recordId ? { versions: new Set([...before, last.updatedAt]), last } : undefined;
    },
    // It has changed nothing: what was made before it stands.
    () => underWay,
  );
  lastWrites.set(recordId, told);
  return (await result).written;
}
