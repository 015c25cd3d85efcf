/**
 * Who a person is in an organization's data: a prospect and the player that it became are one, with all their assignments and contracts.
 * Records that were deleted before belong to them too, for the audit log still has their values; it is asked which those are. Of records that
 * are there, only the present link counts: one that staff have corrected leads to somebody else. Where either end of a link was deleted, the
 * link of that moment counts.
 */
import { setImmediate as breathe } from "node:timers/promises";
import { isIdOf } from "@lineup/api/ids";
import type { OrgStore } from "../store/org-store.ts";

export type PersonKind = "player" | "prospect" | "assignment" | "contract";

const STRETCH_ENTRIES = 5_000;
const IDS_A_STATEMENT = 500;

export class Person {
  /** By their ids. */
  readonly records = new Map<string, PersonKind>();
  /** Every entry up to here was asked. */
  #searchedTo = 0;
  #players: string[] = [];

  /** Adds records of the person, and those that belong to them: as the data is now, and as the audit log tells it. */
  async gather(org: OrgStore, recordIds: readonly string[]): Promise<void> {
    for (const id of recordIds) this.#addPersonal(id);
    const { count } = await org.readAuditEnd();
    for (let size = -1; size !== this.records.size; ) {
      size = this.records.size;
      for (const [id, kind] of [...this.records]) {
        if (kind === "player") await this.#gatherOfPlayer(org, id);
        if (kind === "prospect") await this.#gatherOfProspect(org, id);
      }
      // Who was not known to be one of them before is looked for in all of the log.
      const players = this.list("player");
      const from = players.length === this.#players.length ? this.#searchedTo : 0;
      this.#players = players;
      await this.#searchLog(org, from, count);
      this.#searchedTo = count;
    }
  }

  list(kind: PersonKind): string[] {
    return [...this.records].filter(([, one]) => one === kind).map(([id]) => id);
  }

  /** All ids, as many at once as a statement takes. */
  *listBatches(): Generator<string[]> {
    const ids = [...this.records.keys()];
    for (let from = 0; from < ids.length; from += IDS_A_STATEMENT) yield ids.slice(from, from + IDS_A_STATEMENT);
  }

  #addPersonal(id: string): void {
    if (isIdOf("player", id)) this.records.set(id, "player");
    else if (isIdOf("prospect", id)) this.records.set(id, "prospect");
  }

  async #gatherOfPlayer(org: OrgStore, playerId: string): Promise<void> {
    for (const [table, kind] of OF_PLAYERS) {
      const rows = await org
        .selectFrom(table)
        .select(`${table}.id`)
        .where(`${table}.player_id`, "=", playerId)
        .execute();
      for (const { id } of rows) this.records.set(id, kind);
    }
  }

  async #gatherOfProspect(org: OrgStore, prospectId: string): Promise<void> {
    const rows = await org
      .selectFrom("prospects")
      .select("prospects.player_id")
      .where("prospects.id", "=", prospectId)
      .execute();
    const told = await org
      .selectFrom("audit")
      .select(["audit.action", "audit.changes"])
      .where("audit.target_id", "=", prospectId)
      .where("audit.changes", "like", '%"playerId"%')
      .execute();
    for (const { player_id: id } of rows) if (id !== null) this.#addPersonal(id);
    for (const { action, changes } of told) {
      for (const id of playersIn(changes)) {
        if (action === "prospect.deleted" || !(await isThere(org, "players", id))) this.#addPersonal(id);
      }
    }
  }

  /** Entries after `from`, up to and with `to`. */
  async #searchLog(org: OrgStore, from: number, to: number): Promise<void> {
    const players = this.list("player");
    if (players.length === 0) return;
    for (let after = from; after < to; after += STRETCH_ENTRIES) {
      if (after > from) await breathe();
      const rows = await org
        .selectFrom("audit")
        .select(["audit.target_id", "audit.target_kind", "audit.changes", "audit.request_id"])
        .where("audit.seq", ">", after)
        .where("audit.seq", "<=", Math.min(after + STRETCH_ENTRIES, to))
        .where("audit.target_kind", "in", ["assignment", "contract", "prospect"])
        .where((eb) => eb.or(players.map((id) => eb("audit.changes", "like", `%${id}%`))))
        .execute();
      for (const { target_id: id, target_kind: kind, changes, request_id } of rows) {
        const named = playersIn(changes).filter((player) => players.includes(player));
        if (named.length === 0) continue;
        const isPresent = kind === "prospect" && (await isThere(org, "prospects", id));
        if (isPresent && !(await wasFreed(org, id, named, request_id))) continue;
        this.records.set(id, kind as PersonKind);
      }
    }
  }
}

async function isThere(org: OrgStore, table: "players" | "prospects", id: string): Promise<boolean> {
  const found = await org.selectFrom(table).select(`${table}.id`).where(`${table}.id`, "=", id).executeTakeFirst();
  return found !== undefined;
}

/** Whether a prospect that is there lost its player in the request that deleted the player, and was given no other since. */
async function wasFreed(org: OrgStore, prospectId: string, players: readonly string[], requestId: string | null) {
  const free = await org
    .selectFrom("prospects")
    .select("prospects.id")
    .where("prospects.id", "=", prospectId)
    .where("prospects.player_id", "is", null)
    .executeTakeFirst();
  if (free === undefined) return false;
  const deletion = await org
    .selectFrom("audit")
    .select("audit.seq")
    .where("audit.target_id", "in", players)
    .where("audit.action", "=", "player.deleted")
    .where("audit.request_id", "=", requestId)
    .executeTakeFirst();
  return deletion !== undefined;
}

const OF_PLAYERS = [
  ["assignments", "assignment"],
  ["contracts", "contract"],
  ["prospects", "prospect"],
] as const;

/** Whom an entry's record was said to be of, before or after. */
function playersIn(changes: string | null): string[] {
  const { playerId } = JSON.parse(changes ?? "{}") as { readonly playerId?: unknown };
  return Array.isArray(playerId) ? playerId.filter((id) => typeof id === "string") : [];
}
