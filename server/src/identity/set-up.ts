/** The set-up page, where the first owner comes from whoever holds the token of the log. */
import { ActionError } from "@lineup/api/dashboard/action";
import { makeId } from "../store/ids.ts";
import { joinAuthWork } from "./auth-work.ts";
import { type FirstOwner, makeFirstOwner } from "./first-owner.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { type Entered, startSession } from "./link-use.ts";
import { requireLink, takeLink } from "./links.ts";
import { originOf } from "./user-audit.ts";
import { hasUsers } from "./users.ts";
import type { Visit } from "./visit.ts";

export async function setUp(
  tools: IdentityTools,
  visit: Visit,
  typed: Pick<FirstOwner, "name" | "email" | "organizationName"> & {
    readonly token: string;
    readonly password: string;
  },
): Promise<Entered & { readonly organizationId: string }> {
  await requireLink(tools.store.operator, typed.token, "setup", visit.now).catch(async (error: unknown) => {
    throw (await hasUsers(tools.store.operator)) ? taken() : error instanceof ActionError ? wrongToken() : error;
  });
  const passwordHash = await tools.passwords.hash(typed.password, false);
  const { token, name, email, organizationName } = typed;
  const owner = { id: makeId("user"), name, email, organizationName, passwordHash };
  return tools.store.writeAccess(originOf(owner, visit), (operator, recording) =>
    joinAuthWork(operator, visit, async () => {
      await takeLink(operator, token, "setup", visit.now);
      const made = await makeFirstOwner(operator, recording, owner, visit.now);
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
