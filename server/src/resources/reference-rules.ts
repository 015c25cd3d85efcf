/** What holds for all records: whom they refer to is of the same organization, and their ids in other systems are theirs alone. */
import { RESOURCES, type SomeResource } from "@lineup/api/endpoints";
import type { ErrorDetail } from "@lineup/api/errors";
import type { Field } from "@lineup/api/resource";
import { type ExternalIds, findExternalIdFaults } from "../store/external-ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { ExternalIdKind } from "../store/schema.ts";

type Values = Readonly<Record<string, unknown>>;

export async function findReferenceFaults(
  org: OrgStore,
  resource: SomeResource,
  { before, after }: { readonly before: object | undefined; readonly after: object },
): Promise<ErrorDetail[]> {
  const [was, is] = [before as Values | undefined, after as Values];
  const faults: ErrorDetail[] = [];
  for (const [field, { refersTo }] of Object.entries<Field>(resource.fields)) {
    const id = is[field];
    if (refersTo === undefined || typeof id !== "string" || was?.[field] === id) continue;
    const fault = await findReferenceFault(org, refersTo, id);
    if (fault !== undefined) faults.push({ field, message: fault });
  }
  const { externalIds } = is as { readonly externalIds?: ExternalIds };
  if (externalIds === undefined) return faults;
  const id = was === undefined ? undefined : String(was.id);
  return [...faults, ...(await findExternalIdFaults(org, resource.kind as ExternalIdKind, id, externalIds))];
}

async function findReferenceFault(org: OrgStore, table: string, id: string): Promise<string | undefined> {
  const found = await org
    .selectFrom(table as "players")
    .select("id")
    .where("id", "=", id)
    .executeTakeFirst();
  if (found !== undefined) return undefined;
  const { kind, name } = RESOURCES.find((one) => one.table === table) ?? { kind: table, name: table };
  return `is not a ${kind} of this organization; see GET /${name}`;
}
