/** The kinds of records that the pages show, and the actions that read, change and delete each. */
import type { Contract } from "@lineup/api/contracts";
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import type { RosterEntry } from "@lineup/api/roster";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";

export interface RecordTypes {
  readonly team: Team;
  readonly player: Player;
  readonly assignment: RosterEntry;
  readonly contract: Contract;
  readonly event: ScheduleEntry;
  readonly prospect: Prospect;
}

export type Kind = keyof RecordTypes;
export type AnyRecord = RecordTypes[Kind];

export const LIST_ACTIONS = {
  team: "listTeams",
  player: "listPlayers",
  assignment: "listRoster",
  contract: "listContracts",
  event: "listSchedule",
  prospect: "listProspects",
} as const satisfies Readonly<Record<Kind, string>>;

export const KINDS = Object.keys(LIST_ACTIONS) as readonly Kind[];

/** `player_…` → "player". */
export function kindOfId(id: string): Kind | undefined {
  return KINDS.find((kind) => id.startsWith(`${kind}_`));
}
