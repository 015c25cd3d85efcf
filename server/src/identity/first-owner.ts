/**
 * The first owner, who comes in one of three equal ways: by the settings, by a command, by the set-up page. Whichever is first, the
 * others find an account and do nothing: changes of access go one after another, and each looks before it makes anything.
 *
 * The first owner owns the oldest organization that nobody belongs to; where there is none, one is made.
 */
import { ActionError } from "@lineup/api/dashboard/action";
import { insertOrganization } from "../access/organizations.ts";
import { SERVER_ORIGIN } from "../store/origin.ts";
import type { AccessRecording, Operator, Store } from "../store/store.ts";
import { joinAuthWork } from "./auth-work.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { type Entered, startSession } from "./link-use.ts";
import { requireLink, takeLink } from "./links.ts";
import { putMember } from "./members.ts";
import { PasswordDesk } from "./password-desk.ts";
import { recordCreation } from "./user-audit.ts";
import { hasUsers, insertUser, type NewUser, type UserRow } from "./users.ts";
import type { Visit } from "./visit.ts";

const ORGANIZATION_NAME = "My organization";

export interface FirstOwner extends NewUser {
  /** For an organization that has to be made. */
  readonly organizationName?: string | undefined;
}

export interface MadeOwner {
  readonly user: UserRow;
  readonly organization: { readonly id: string; readonly name: string };
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
  return { user, organization };
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

/** What the settings say counts only while nobody has an account; later it changes nothing, the password neither. */
export async function makeOwnerOfSettings(
  store: Store,
  admin: { readonly email: string; readonly password: string },
  now = Date.now(),
): Promise<MadeOwner | undefined> {
  if (await hasUsers(store.operator)) return undefined;
  const passwordHash = await new PasswordDesk().hash(admin.password);
  const wanted = { email: admin.email, name: nameFrom(admin.email), passwordHash };
  return store.writeAccess(SERVER_ORIGIN, (operator, recording) => makeFirstOwner(operator, recording, wanted, now));
}

/** What to call somebody of whom only the address is known. */
export function nameFrom(email: string): string {
  return email.split("@", 1)[0] ?? email;
}

export async function setUp(
  tools: IdentityTools,
  visit: Visit,
  typed: FirstOwner & { readonly token: string; readonly password: string },
): Promise<Entered & { readonly organizationId: string }> {
  await requireLink(tools.store.operator, typed.token, "setup", visit.now).catch(async (error: unknown) => {
    throw (await hasUsers(tools.store.operator)) ? taken() : error instanceof ActionError ? wrongToken() : error;
  });
  const passwordHash = await tools.passwords.hash(typed.password, false);
  const { token, password: _, ...wanted } = typed;
  const origin = {
    kind: "user",
    id: null,
    name: typed.name,
    address: visit.address,
    requestId: visit.requestId,
  } as const;
  return tools.store.writeAccess(origin, (operator, recording) =>
    joinAuthWork(operator, visit, async () => {
      await takeLink(operator, token, "setup", visit.now);
      const made = await makeFirstOwner(operator, recording, { ...wanted, passwordHash }, visit.now);
      if (made === undefined) throw taken();
      const cookies = await startSession(tools, visit, operator, recording, made.user, "at set-up");
      return { organizationId: made.organization.id, cookies };
    }),
  );
}

function taken(): ActionError {
  return new ActionError("CONFLICT", "Lineup is set up already. Sign in, or ask an owner to invite you.");
}

function wrongToken(): ActionError {
  return new ActionError(
    "WRONG_CREDENTIALS",
    'That token is not right. It is the last line of the server\'s log, and in the file "setup-token" of its data folder; ' +
      "each start makes a new one.",
    [{ field: "token", message: "is not right" }],
  );
}
