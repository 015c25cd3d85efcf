/**
 * The first owner, who comes in one of three equal ways: by the settings, by a command, by the set-up page. Whichever is first, the
 * others find an account and do nothing: changes of access go one after another, and each looks before it makes anything.
 *
 * The first owner owns the oldest organization that nobody belongs to; where there is none, one is made.
 */

import { hash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { insertOrganization } from "../access/organizations.ts";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import { makeFolder } from "../store/private-files.ts";
import type { AccessRecording, Operator, Store } from "../store/store.ts";
import { makeLink } from "./links.ts";
import { putMember } from "./members.ts";
import { hasUsers, insertUser, type NewUser, recordCreation, type UserRow } from "./users.ts";

const ORGANIZATION_NAME = "My organization";

export interface FirstOwner extends NewUser {
  /** For an organization that has to be made. */
  readonly organizationName?: string | undefined;
}

export interface MadeOwner {
  readonly user: UserRow;
  readonly organization: { readonly id: string; readonly name: string; readonly role: "owner" };
}

/** Undefined when somebody has an account already. */
export async function makeFirstOwner(
  operator: Operator,
  recording: AccessRecording,
  wanted: FirstOwner,
  now: number,
): Promise<MadeOwner | undefined> {
  if (await hasUsers(operator)) return undefined;
  const name = wanted.organizationName ?? ORGANIZATION_NAME;
  const organization = (await findUnowned(operator)) ?? (await insertOrganization(operator, recording, { name }, now));
  const user = await insertUser(operator, wanted, now);
  await putMember(operator, recording, { orgId: organization.id, user, role: "owner" }, now);
  await recordCreation(operator, recording, user, now);
  await operator.deleteFrom("links").where("kind", "=", "setup").execute();
  return { user, organization: { ...organization, role: "owner" } };
}

async function findUnowned(operator: Operator): Promise<{ id: string; name: string } | undefined> {
  return operator
    .selectFrom("organizations")
    .leftJoin("members", "members.org_id", "organizations.id")
    .select(["organizations.id", "organizations.name"])
    .where("members.user_id", "is", null)
    .orderBy("organizations.id")
    .limit(1)
    .executeTakeFirst();
}

/** What to call somebody of whom only the address is known. */
export function nameFrom(email: string): string {
  return email.split("@", 1)[0] ?? email;
}

/**
 * The token that opens the set-up page, while nobody has an account. Each start of a server makes its own and voids that server's older
 * ones. It is told on standard error, and lies in a file of the data folder, for its owner alone, until it was used or is not needed any
 * more.
 */
export const SETUP_TOKEN_FILE = "setup-token";

export interface OfferedSetUp {
  readonly token: string;
  /** Undefined where the folder cannot be written. */
  readonly file: string | undefined;
  /** Why there is no file. */
  readonly fault?: unknown;
}

/** Undefined when somebody has an account. */
export async function offerSetUp(store: Store, dataDir: string, now = Date.now()): Promise<OfferedSetUp | undefined> {
  removeSetUpFile(dataDir);
  const made = await store.writePeople(SERVER_ORIGIN, async (operator) => {
    if (await hasUsers(operator)) return undefined;
    // Tells servers on one store apart.
    const createdBy = `server ${hash("sha256", `${hostname()} ${resolve(dataDir)}`).slice(0, 16)}`;
    await operator.deleteFrom("links").where("kind", "=", "setup").where("created_by", "=", createdBy).execute();
    return makeLink(operator, { kind: "setup", createdBy }, now);
  });
  if (made === undefined) return undefined;
  const file = join(dataDir, SETUP_TOKEN_FILE);
  try {
    makeFolder(dataDir);
    writeFileSync(file, `${made.token}\n`, { mode: 0o600, flag: "wx" });
    return { token: made.token, file };
  } catch (fault) {
    // Standard error has it, too.
    return { token: made.token, file: undefined, fault };
  }
}

export function removeSetUpFile(dataDir: string): void {
  try {
    rmSync(join(dataDir, SETUP_TOKEN_FILE), { force: true });
  } catch {
    // What is in it opens nothing any more.
  }
}

/** The first owner as the settings name them. They count only while nobody has an account; later they change nothing, the password neither. */
export async function makeOwnerOfSettings(
  store: Store,
  admin: { readonly email: string; readonly password: string },
  now = Date.now(),
): Promise<MadeOwner | undefined> {
  if (await hasUsers(store.operator)) return undefined;
  const { hashPassword } = await import("better-auth/crypto");
  const passwordHash = await hashPassword(admin.password);
  const wanted = { email: admin.email, name: nameFrom(admin.email), passwordHash };
  return store.writeAccess(SERVER_ORIGIN, (operator, recording) => makeFirstOwner(operator, recording, wanted, now));
}
