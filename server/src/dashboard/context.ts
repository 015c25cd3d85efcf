/**
 * What a verb of the dashboard gets and gives. Who asks is known from the session, the organization from the path, and both were judged
 * before a verb runs; verbs never see HTTP beyond the few facts here, and throw `ActionError`s.
 */
import type { ActionAccess } from "@lineup/api/dashboard/action";
import type {
  ActionName,
  ActionNamed,
  ActionPath,
  ActionResult,
  ParsedBody,
  ParsedQuery,
} from "@lineup/api/dashboard/actions";
import type { Role } from "@lineup/api/dashboard/members";
import type { Identity } from "../identity/identity.ts";
import type { SignedInUser, Visit } from "../identity/visit.ts";
import type { Limiter } from "../limits/windows.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { Origin } from "../store/origin.ts";
import type { Store } from "../store/store.ts";

export interface ActionContext<T = DashboardTools> {
  readonly tools: T;
  readonly visit: Visit;
  /** Undefined for whoever is not signed in. */
  readonly user: SignedInUser | undefined;
  /** For the audit log. */
  readonly origin: Origin;
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

export type ActionVerb<N extends ActionName> = (
  context: ContextFor<ActionNamed<N>["access"]>,
  input: ActionInput<N>,
) => Promise<ActionResult<N>>;

/** One for every action: the compiler asks for each. */
export type ActionVerbs = { readonly [N in ActionName]: ActionVerb<N> };
