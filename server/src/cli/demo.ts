/** What `serve --demo` does for a newcomer: an organization with data in it, a key, and an owner, where there is nothing yet. */
import { PERMISSIONS } from "@lineup/api/permissions";
import { createKey } from "../access/key-admin.ts";
import { createOrganization, deleteOrganization, type Organization } from "../access/organizations.ts";
import type { Config } from "../config.ts";
import { makeFirstOwner } from "../identity/first-owner.ts";
import { insertAccountLink } from "../identity/links.ts";
import { putMember } from "../identity/members.ts";
import { findUserRow } from "../identity/users.ts";
import { commandOrigin, type Origin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { note, warn } from "./output.ts";

export interface Demo {
  readonly organization: Organization;
  /** The key itself. */
  readonly key: string;
  /** Signs the newcomer in as its owner, once. Undefined where the owner is somebody else. */
  readonly signInToken: string | undefined;
}

export const SAMPLE_OWNER_EMAIL = "owner@northwind.example";

/** Undefined where the store is not empty, or where others could reach the sample. */
export async function prepareDemo(store: Store, config: Config): Promise<Demo | undefined> {
  if (!config.isLoopback) {
    warn(`--demo does nothing here, because other machines can reach ${config.host}. Leave it out.`);
    return undefined;
  }
  const first = await store.operator.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
  if (first !== undefined) {
    if (!(await isHalfSample(store, first.id))) return undefined;
    note("An earlier start was ended while it made the sample. Making it anew …");
    await deleteOrganization(store, first.id, commandOrigin("sample"));
  } else note("There is no organization yet. Making a sample one …");
  const { loadSample } = await import("../sample/sample-organization.ts");
  const now = Date.now();
  const origin = commandOrigin("sample");
  const organization = await createOrganization(store, { name: "Northwind Esports", tier: "Pro" }, origin, now);
  try {
    await loadSample(store, organization.id, now);
    const signInToken =
      config.admin === undefined ? await makeSampleOwner(store, organization.id, origin, now) : undefined;
    // Last, for it says that the sample is whole.
    const wanted = { orgId: organization.id, name: "Sample key", permissions: PERMISSIONS };
    const { key } = await createKey(store, wanted, origin, now);
    return { organization, key, signInToken };
  } catch (error) {
    // Half a sample would keep the next start from making a whole one.
    await deleteOrganization(store, organization.id, origin);
    throw error;
  }
}

/** One whose making was cut short: nobody was ever shown a key of it. */
async function isHalfSample(store: Store, orgId: string): Promise<boolean> {
  const key = await store.operator.selectFrom("api_keys").select("id").where("org_id", "=", orgId).executeTakeFirst();
  if (key !== undefined) return false;
  const made = await store.org(orgId).selectFrom("audit").select("actor_name").where("seq", "=", 1).executeTakeFirst();
  return made?.actor_name === commandOrigin("sample").name;
}

/** Without a password: anyone who starts the server gets in by the link it prints. The owner of an earlier sample owns this one too. */
async function makeSampleOwner(store: Store, orgId: string, origin: Origin, now: number): Promise<string | undefined> {
  const wanted = { name: "Sample owner", email: SAMPLE_OWNER_EMAIL };
  return store.writeAccess(origin, async (operator, recording) => {
    const made = await makeFirstOwner(operator, recording, wanted, now);
    const user = made?.user ?? (await findUserRow(operator, SAMPLE_OWNER_EMAIL));
    if (user === undefined) return undefined;
    await putMember(operator, recording, { orgId, user, role: "owner" }, now);
    return (await insertAccountLink(operator, recording, user, { kind: "sign-in", createdBy: origin.name }, now)).token;
  });
}
