/**
 * The games that teams will play after an import, by which roles are judged. Whoever asks for a team has loaded it before:
 * a team that nobody loaded would leave its players' roles unjudged, so asking for one is an error of ours and is thrown.
 */
import type { Game } from "@lineup/api/roles";
import type { Team } from "@lineup/api/teams";
import type { OrgStore } from "../store/org-store.ts";
import type { Draft, RowIds } from "./draft-records.ts";
import { loadRecords } from "./stored-records.ts";

export class TeamGames {
  readonly #org: OrgStore;
  /** Undefined for a team whose own row is faulty. */
  readonly #games = new Map<string, Game | undefined>();

  constructor(org: OrgStore, rowIds: RowIds | undefined, drafts: readonly Draft<Team>[]) {
    this.#org = org;
    for (const id of rowIds?.values() ?? []) this.#games.set(id, undefined);
    for (const { after } of drafts) this.#games.set(after.id, after.game);
  }

  /** Adds the games of stored teams; what the import says of a team goes before what is stored. */
  async load(teamIds: Iterable<string | null>): Promise<void> {
    const missing = new Set<string>();
    for (const id of teamIds) if (id !== null && !this.#games.has(id)) missing.add(id);
    for (const [id, team] of await loadRecords(this.#org, "teams", missing)) this.#games.set(id, team.game);
  }

  /** The game of a team that was loaded; undefined where the team's own row is faulty, which leaves nothing to judge by. */
  find(teamId: string): Game | undefined {
    if (!this.#games.has(teamId)) throw new Error(`The game of the team "${teamId}" was not loaded.`);
    return this.#games.get(teamId);
  }
}
