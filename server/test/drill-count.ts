/**
 * Files named `*.drill.ts` repeat something that shows more the longer it goes on. `npm test` runs them with small counts, so that what a change
 * breaks is seen at once; `npm run drills` with large ones, or with those it is given: `npm run drills -- kill-rounds=200`.
 */
const asked: Readonly<Record<string, number>> | undefined =
  process.env.LINEUP_DRILLS === undefined ? undefined : JSON.parse(process.env.LINEUP_DRILLS);

/** Whether this is a run of `npm run drills`. */
export const isDrill = asked !== undefined;

/** The name is that of the file. `npm run drills -- percent=10` asks for a tenth of each large count, and never for less than `npm test`. */
export function drillCount(name: string, few: number, many: number): number {
  if (asked === undefined) return few;
  return asked[name] ?? Math.max(few, Math.ceil((many * (asked.percent ?? 100)) / 100));
}

/** The seed of random walks: `npm run drills -- seed=42 in-step=10000`. */
export const SEED = asked?.seed ?? 1;
