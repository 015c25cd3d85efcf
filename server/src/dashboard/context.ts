/**
 * What a verb of the dashboard gets and gives. Who asks is known from the session, the organization from the path, and both were judged
 * before a verb runs; verbs never see HTTP beyond the few facts here, and throw `ActionError`s.
 */
import { type ActionAccess, type ActionProgress, TooManyTries } from "@lineup/api/dashboard/action";
import type {
  ActionName,
  ActionNamed,
  ActionPath,
  ActionResult,
  ParsedBody,
  ParsedQuery,
} from "@lineup/api/dashboard/actions";
import type { Role } from "@lineup/api/dashboard/members";
import { isIdOf } from "@lineup/api/ids";
import { findOrganization, type Organization } from "../access/organizations.ts";
import type { AddressGuard } from "../events/address-guard.ts";
import type { WebhookRequester } from "../events/webhook-request.ts";
import type { SecretBox } from "../events/webhook-secret.ts";
import type { Identity } from "../identity/identity.ts";
import type { SignedInUser, Visit } from "../identity/visit.ts";
import type { Limiter } from "../limits/windows.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { Origin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { OrganizationGone } from "../store/store-error.ts";

export interface ActionContext {
  readonly tools: DashboardTools;
  readonly visit: Visit;
  /** Undefined for anyone who is not signed in. */
  readonly user: SignedInUser | undefined;
  /** For the audit log. */
  readonly origin: Origin;
  /** Tells a page that waits how far the work has come. */
  report(progress: ActionProgress): void;
  /** Adds `Set-Cookie` headers to the answer. */
  setCookies(cookies: readonly string[]): void;
}

export interface SignedInContext extends ActionContext {
  readonly user: SignedInUser;
}

export interface MemberContext extends SignedInContext {
  /** The organization of the path, of which the user is a member whose role allows the action. */
  readonly orgId: string;
  readonly role: Role;
}

/** What verbs work with. */
export interface DashboardTools {
  readonly store: Store;
  readonly identity: Identity;
  readonly limiter: Limiter;
  readonly requestLog: RequestLog;
  readonly webhooks: Webhooks;
  /** The clock, for what is written when its turn has come; what is read is read as of the visit. */
  readonly now: () => number;
}

/** What it takes to keep and to try out webhooks. */
export interface Webhooks {
  readonly guard: AddressGuard;
  readonly box: SecretBox;
  readonly requester: WebhookRequester;
}

/** The dashboard behind its door: the verb of every action, and what they work with. */
export interface Dashboard {
  readonly tools: DashboardTools;
  readonly verbs: ActionVerbs;
}

type ContextFor<A extends ActionAccess> = A extends "anyone"
  ? ActionContext
  : A extends "signed-in" | "operator"
    ? SignedInContext
    : MemberContext;

export interface ActionInput<N extends ActionName> {
  readonly path: ActionPath<N>;
  readonly query: ParsedQuery<N>;
  readonly body: ParsedBody<N>;
}

/** A verb that has nothing to say returns nothing, and the action answers `{}`. */
export type ActionVerb<N extends ActionName> = (
  context: ContextFor<ActionNamed<N>["access"]>,
  input: ActionInput<N>,
) => Promise<ActionResult<N>> | (ActionResult<N> extends Record<string, never> ? Promise<void> : never);

/** One for every action: the compiler asks for each. */
export type ActionVerbs = { readonly [N in ActionName]: ActionVerb<N> };

/** By its id alone: what commands may call by name, the dashboard may not. */
export async function requireOrganizationOf(store: Store, orgId: string): Promise<Organization> {
  const found = isIdOf("org", orgId) ? await findOrganization(store, orgId) : undefined;
  if (found === undefined || found.id !== orgId) throw new OrganizationGone(orgId);
  return found;
}

/** For work that takes much of the server: so many at a time, and of each organization one. Others are told to come back. */
export function inTurns(atOnce: number, message: string, waitMs: number) {
  const underWay = new Set<string>();
  return async <T>(orgId: string, work: () => Promise<T>): Promise<T> => {
    if (underWay.has(orgId) || underWay.size >= atOnce) throw new TooManyTries(message, waitMs);
    underWay.add(orgId);
    try {
      return await work();
    } finally {
      underWay.delete(orgId);
    }
  };
}

/** Each holds a whole file in memory. */
export const exportInTurn = inTurns(2, "Another export is being made. Try again in a few seconds.", 5_000);
