/**
 * How long somebody else has for an answer. A process that stood still meanwhile, because its machine slept, was moved to another host or
 * halted it, finds its timers due before it has read what came in. So what has come is looked at once more before anybody is given up.
 */

/** Returns what ends the waiting. */
export function afterPatience(ms: number, giveUp: () => void): () => void {
  let last: NodeJS.Immediate | undefined;
  // Between a timer and what follows it comes what the network has brought.
  const timer = setTimeout(() => {
    last = setImmediate(giveUp);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
