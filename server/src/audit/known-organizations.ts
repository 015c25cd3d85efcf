/** What the installation's chain knows of organizations: with which entry the chain of each begins, and which were deleted. */
import type { Selectable } from "kysely";
import type { AuditTable } from "../store/audit-tables.ts";

interface Known {
  readonly name: string | null;
  readonly firstHash: unknown;
  readonly seq: number;
  /** How many entries its chain had when it was deleted. */
  deletedCount: number | undefined;
}

export class KnownOrganizations {
  readonly #known = new Map<string, Known>();

  /** An entry of the installation's chain. */
  pass(row: Selectable<AuditTable>): void {
    if (row.target_kind !== "organization") return;
    const changes = parse(row.changes);
    if (row.action === "organization.created" || row.action === "audit.began") {
      // The first that names it counts; nobody names it twice.
      if (this.#known.has(row.target_id)) return;
      const firstHash = changes.firstHash?.[1];
      this.#known.set(row.target_id, { name: row.target_name, firstHash, seq: row.seq, deletedCount: undefined });
    }
    const known = this.#known.get(row.target_id);
    if (row.action === "organization.deleted" && known !== undefined) {
      known.deletedCount = Number(changes.entries?.[0] ?? 0);
    }
  }

  findName(orgId: string): string | null {
    return this.#known.get(orgId)?.name ?? null;
  }

  /** Undefined where no deletion is recorded. */
  findDeletedCount(orgId: string): number | undefined {
    return this.#known.get(orgId)?.deletedCount;
  }

  listDeleted(): string[] {
    return [...this.#known].filter(([, { deletedCount }]) => deletedCount !== undefined).map(([id]) => id);
  }

  /** What is wrong with how an organization's chain begins. */
  judgeBeginning(orgId: string, first: Selectable<AuditTable> | undefined): string | undefined {
    const known = this.#known.get(orgId);
    if (known === undefined) return "The organization was made, and the installation's log does not know of it.";
    if (known.deletedCount !== undefined) return "The organization was recorded as deleted, and is there.";
    if (first === undefined) return "All entries of this log were removed.";
    if (first.seq === 1 && first.hash === known.firstHash) return undefined;
    return `The log begins otherwise than entry ${known.seq} of the installation's log says: it was wiped and begun anew, or its beginning was removed.`;
  }

  *listVanished(organizations: ReadonlyMap<string, unknown>) {
    for (const [id, { name, deletedCount }] of this.#known) {
      if (deletedCount !== undefined || organizations.has(id)) continue;
      yield { id, name, message: "The organization is gone, and nothing says who deleted it." };
    }
  }
}

function parse(changes: string | null): Readonly<Record<string, readonly unknown[] | undefined>> {
  try {
    return JSON.parse(changes ?? "{}");
  } catch {
    return {};
  }
}
