/**
 * A believable organization for somebody who looks at Lineup for the first time: every state of everything, with dates
 * around the moment it is made. It comes in through the importer that users have, and is the same every time but for its dates.
 */
import { commandOrigin } from "../store/origin.ts";
import type { Store } from "../store/store.ts";
import { importInto } from "../transfer/import.ts";
import type { ImportTables } from "../transfer/import-source.ts";
import type { ImportSummary } from "../transfer/tables.ts";
import { makeCalendar } from "./sample-calendar.ts";
import { contractStatusOf, makeContracts } from "./sample-contracts.ts";
import { makePlayers, makeRoster, makeTeams } from "./sample-people.ts";
import { makeProspects } from "./sample-prospects.ts";
import { makeSchedule } from "./sample-schedule.ts";

export function sampleTables(now: number): ImportTables {
  const calendar = makeCalendar(now);
  return {
    teams: makeTeams(),
    players: makePlayers(calendar, contractStatusOf),
    roster: makeRoster(calendar),
    contracts: makeContracts(calendar),
    schedule: makeSchedule(calendar),
    prospects: makeProspects(calendar),
  };
}

export async function loadSample(store: Store, orgId: string, now: number): Promise<ImportSummary> {
  return importInto(store, orgId, { tables: sampleTables(now) }, { origin: commandOrigin("sample"), now: () => now });
}
