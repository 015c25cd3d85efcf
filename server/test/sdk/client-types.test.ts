/** The SDK's types are those of the records in api/: a new field or endpoint there is in the SDK, or one of these fails. */
import { readFileSync } from "node:fs";
import type { Change as ApiChange } from "@lineup/api/changes";
import type { Contract as ApiContract } from "@lineup/api/contracts";
import type { KeyDescription as ApiKeyDescription } from "@lineup/api/me";
import type { ParametersOf } from "@lineup/api/parameters";
import type { Player as ApiPlayer, listPlayers } from "@lineup/api/players";
import type { Prospect as ApiProspect } from "@lineup/api/prospects";
import type { RosterEntry as ApiRosterEntry } from "@lineup/api/roster";
import type { ScheduleEntry as ApiScheduleEntry } from "@lineup/api/schedule";
import type { Team as ApiTeam } from "@lineup/api/teams";
import { expect, it } from "vitest";
import { makeClientTypes, TYPES_FILE } from "../../../scripts/write-client-types.ts";
import type * as sdk from "../../../sdk/src/record-types.ts";

it('are current; if not, "npm run types" writes them', () => {
  expect(readFileSync(TYPES_FILE, "utf8")).toBe(makeClientTypes());
});

/** Never, and so an error of the compiler below, where the two are not the same. A role is any string to the server, which knows the game. */
type Same<A, B> = [WithoutRole<A>, WithoutRole<B>] extends [WithoutRole<B>, WithoutRole<A>]
  ? [keyof A] extends [keyof B]
    ? [keyof B] extends [keyof A]
      ? true
      : never
    : never
  : never;
type WithoutRole<T> = T extends object ? Omit<T, "role"> : T;

it("say what the records say", () => {
  const same: [
    Same<sdk.Player, ApiPlayer>,
    Same<sdk.Team, ApiTeam>,
    Same<sdk.RosterEntry, ApiRosterEntry>,
    Same<sdk.ScheduleEntry, ApiScheduleEntry>,
    Same<sdk.Prospect, ApiProspect>,
    Same<sdk.Contract, ApiContract>,
    Same<sdk.KeyDescription, ApiKeyDescription>,
    Same<sdk.Change, ApiChange>,
    Same<keyof sdk.ListPlayersQuery, keyof ParametersOf<(typeof listPlayers)["query"]>>,
  ] = [true, true, true, true, true, true, true, true, true];
  expect(same).not.toContain(false);
});
