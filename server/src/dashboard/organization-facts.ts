/** Organizations by their ids alone: what commands may call by name, the dashboard may not. */
import { isIdOf } from "@lineup/api/ids";
import { findOrganization, type Organization } from "../access/organizations.ts";
import type { Store } from "../store/store.ts";
import { OrganizationGone } from "../store/store-error.ts";

export async function requireOrganizationOf(store: Store, orgId: string): Promise<Organization> {
  const found = isIdOf("org", orgId) ? await findOrganization(store, orgId) : undefined;
  if (found === undefined || found.id !== orgId) throw new OrganizationGone(`The organization ${orgId} is gone.`);
  return found;
}
