/**
 * Files named `*.drill.ts` repeat something that shows more the longer it goes on. `npm test` runs them with small counts, so that what a change
 * breaks is seen at once; `npm run drills` with large ones, or with those it is given: `npm run drills -- kill-rounds=200`.
 */
const asked: Readonly<Record<string, number>> | undefined =
  process.env.LINEUP_DRILLS === undefined ? undefined : JSON.parse(process.env.LINEUP_DRILLS);

/** Whether this is a run of `npm run drills`. */
export const isDrill = asked !== undefined;

/** The name is that of the file. */
export function drillCount(name: string, few: number, many: number): number {
  return asked === undefined ? few : (asked[name] ?? many);
}

/** The seed of random walks: `npm run drills -- seed=42 in-step=10000`. */
export const SEED = asked?.seed ?? 1;
