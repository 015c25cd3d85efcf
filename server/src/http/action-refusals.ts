/** Why an action is not taken, before any verb runs and after one has failed. Each refusal says what to do next. */
import { ActionError, type ActionErrorCode } from "@lineup/api/dashboard/action";
import { allows, type Capability, ROLES, type Role } from "@lineup/api/dashboard/members";
import { ApiError } from "@lineup/api/errors";
import { AccessError } from "../access/organizations.ts";
import { OrganizationGone } from "../store/store-error.ts";

const REFUSALS = {
  unknownAction: ["NOT_FOUND", "There is no such action. Load the page again; the dashboard may be newer than it."],
  plainHttp: [
    "FORBIDDEN",
    "HTTPS is required: over plain HTTP others can read what is sent. Open the dashboard under its https:// address; " +
      "behind a proxy, have it send X-Forwarded-Proto and name it in LINEUP_TRUST_PROXY.",
  ],
  foreignOrigin: [
    "FORBIDDEN",
    "This did not come from the dashboard's own pages, as far as can be told. Open the dashboard under its own address; " +
      "behind a proxy, set LINEUP_PUBLIC_URL to that address, or LINEUP_TRUST_PROXY to the proxy's.",
  ],
  notSignedIn: ["NOT_SIGNED_IN", "You are not signed in, or no longer. Sign in, then try again."],
  notOperator: ["FORBIDDEN", "This is for the operators of the server. Ask one of them to do it, or to make you one."],
  // The same for an organization that is not there and for one that is not theirs: neither tells which.
  unknownOrganization: [
    "NOT_FOUND",
    "There is no such organization, or you do not belong to it. Check the address, or ask one of its owners for an invitation.",
  ],
  unknownThing: ["NOT_FOUND", "There is nothing under this address. Go back, and choose from what is there."],
  // What the person sees of a fault of ours: nothing of the inside.
  internal: [
    "INTERNAL_ERROR",
    "Something went wrong on our side. Try again; if it lasts, give the request id to the operator of this server.",
  ],
} as const satisfies Readonly<Record<string, readonly [ActionErrorCode, string]>>;

export function refuseAction(reason: keyof typeof REFUSALS): ActionError {
  const [code, message] = REFUSALS[reason];
  return new ActionError(code, message);
}

export function roleForbids(role: Role, capability: Capability): ActionError {
  const able = ROLES.filter((one) => allows(one, capability));
  return new ActionError(
    "FORBIDDEN",
    `Your role here is ${role}; this takes ${able.join(" or ")}. Ask an owner to do it, or to change your role.`,
  );
}

/** The answer to what was thrown, where it is one that the person may see; undefined for a fault of ours. */
export function findActionRefusal(error: unknown): ActionError | undefined {
  if (error instanceof ActionError) return error;
  // Deleted while the request was under way.
  if (error instanceof OrganizationGone) return refuseAction("unknownOrganization");
  if (error instanceof AccessError) return new ActionError("VALIDATION_ERROR", withoutCommands(error.message));
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === "NOT_FOUND") return refuseAction("unknownThing");
  if (error.code !== "VALIDATION_ERROR" && error.code !== "INVALID_ROLE") return undefined;
  return new ActionError("VALIDATION_ERROR", error.message, error.details);
}

/** Anyone who is at a page has no shell at hand: sentences that name a command are not for them. */
function withoutCommands(message: string): string {
  const sentences = message.split(/(?<=[.?!]) /).filter((sentence) => !/"lineup |npx lineup/.test(sentence));
  return sentences.length > 0 ? sentences.join(" ") : "This cannot be done as things are now. Load the page again.";
}
