/**
 * The way of every action of the dashboard: request id → secrecy → the record → own origin → who asks → may they → query and body →
 * the verb → JSON. Anyone who wants to know what happens before any verb runs reads `takeAllSteps`; there is no other way in.
 *
 * What always holds: what has no record is not there. Who asks is known from the session's cookie alone, and the organization from the
 * path alone; both are judged before anything of the query or the body is looked at. An organization that somebody does not belong to
 * looks like one that does not exist. What is unexpected is INTERNAL_ERROR outside and whole in the log.
 */
import type { IncomingMessage } from "node:http";
import {
  ACTION_ERRORS,
  type Action,
  type ActionErrorCode,
  type ActionProgress,
  TooManyTries,
} from "@lineup/api/dashboard/action";
import type { ActionName } from "@lineup/api/dashboard/actions";
import { allows, type Capability, type Role } from "@lineup/api/dashboard/members";
import { isIdOf } from "@lineup/api/ids";
import type { ActionContext, Dashboard } from "../dashboard/context.ts";
import type { SignedInUser, Visit } from "../identity/visit.ts";
import { readInput, withSlot } from "./action-input.ts";
import { findActionRefusal, refuseAction, roleForbids } from "./action-refusals.ts";
import type { Client } from "./client-address.ts";
import { ClientGone, requireJsonType } from "./json-body.ts";
import { announcesBody } from "./request-target.ts";
import { findSite, type Site } from "./site.ts";

export interface ActionPipeline {
  /** The address of the dashboard, where the operator has given one. */
  readonly publicUrl: string | undefined;
  readonly now: () => number;
  /** Those who come before it is loaded wait for it. */
  loadDashboard(): Promise<Dashboard>;
}

export type NamedAction = Action & { readonly name: ActionName };

export interface ActionCall {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly client: Client;
  /** Undefined where no action has this path and method. */
  readonly action: NamedAction | undefined;
  /** The identifiers in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly queryString: string;
  /** For those who asked to hear of it. */
  readonly onProgress?: ((steps: ActionProgress, known: CallProgress) => void) | undefined;
}

/** What became of a call: the answer, and what the log says about it. */
export interface ActionOutcome {
  readonly status: number;
  readonly code: ActionErrorCode | undefined;
  readonly json: string;
  /** Of a refusal for a while: for how long. */
  readonly retryAfterSeconds?: number;
  readonly cookies: readonly string[];
  readonly site: Site | undefined;
  readonly userId: string | undefined;
  /** What happened inside, for the log alone. */
  readonly internalError: unknown;
}

/** What is known of a call so far, for its answer and its log line, however it goes on. */
export interface CallProgress {
  readonly cookies: string[];
  site: Site | undefined;
  userId: string | undefined;
}

export async function answerAction(pipeline: ActionPipeline, call: ActionCall): Promise<ActionOutcome> {
  const progress: CallProgress = { cookies: [], site: undefined, userId: undefined };
  try {
    const result = await takeAllSteps(pipeline, call, progress);
    return { status: 200, code: undefined, json: JSON.stringify(result), internalError: undefined, ...progress };
  } catch (error) {
    if (error instanceof ClientGone) throw error;
    return refuse(call, progress, error);
  }
}

async function takeAllSteps(pipeline: ActionPipeline, call: ActionCall, progress: CallProgress): Promise<unknown> {
  progress.site = findSite(call.request, call.client, pipeline.publicUrl);
  if (!call.client.isPrivate) throw refuseAction("plainHttp");
  const { action } = call;
  if (action === undefined) throw refuseAction("unknownAction");
  const site = requireOwnOrigin(call, action, progress.site);
  const { tools, verbs } = await pipeline.loadDashboard();
  const visit = describeVisit(call, site, pipeline.now());
  const found = await tools.identity.findUser(visit);
  progress.userId = found?.user.id;
  progress.cookies.push(...(found?.cookies ?? []));
  const user = requireUser(action, found?.user);
  const membership = await requireMembership(action, call.path, (orgId) =>
    user === undefined ? undefined : tools.identity.findRole(user.id, orgId),
  );
  // Ids are short and plain; not every database can even be asked for what they cannot be.
  if (!Object.values(call.path).every((name) => PLAUSIBLE_NAME.test(name))) throw refuseAction("unknownThing");
  return withSlot(action, async () => {
    const { query, body } = await readInput(action, call.request, call.queryString);
    const { address, requestId } = visit;
    const context: ActionContext = {
      tools,
      visit,
      user,
      origin: { kind: "user", id: user?.id ?? null, name: user?.name ?? "not signed in", address, requestId },
      report: (steps) => call.onProgress?.(steps, progress),
      setCookies: (cookies) => void progress.cookies.push(...cookies),
      ...membership,
    };
    // A verb's own types tie its input to its record; here, where all are alike, they cannot be told apart.
    const verb = verbs[action.name] as (context: ActionContext, input: object) => Promise<unknown>;
    return (await verb(context, { path: call.path, query, body })) ?? {};
  });
}

/**
 * A browser says with every write which origin it came from, and no page can make it say another. So a write without `Origin` is not
 * from a browser's page of ours, and there is no second way for it. A read may lack it; whatever is said must be right.
 */
function requireOwnOrigin({ request }: ActionCall, action: NamedAction, site: Site | undefined): Site {
  const { origin, "sec-fetch-site": fetchSite } = request.headers;
  const isRead = action.method === "GET";
  if (site === undefined || (origin === undefined ? !isRead : origin !== site.origin))
    throw refuseAction("foreignOrigin");
  // "none" is a person who typed the address; what they see then is only text.
  if (fetchSite !== undefined && fetchSite !== "same-origin" && !(isRead && fetchSite === "none"))
    throw refuseAction("foreignOrigin");
  // Forms and other requests that browsers send without asking first cannot say that they are JSON.
  const isTyped = request.headers["content-type"] !== undefined;
  if (!isRead && (action.body !== undefined || isTyped || announcesBody(request))) requireJsonType(request.headers);
  return site;
}

function requireUser(action: NamedAction, user: SignedInUser | undefined): SignedInUser | undefined {
  if (action.access === "anyone") return user;
  if (user === undefined) throw refuseAction("notSignedIn");
  if (action.access === "operator" && !user.isOperator) throw refuseAction("notOperator");
  return user;
}

const NOT_OF_ORGANIZATIONS: readonly string[] = ["anyone", "signed-in", "operator"];

async function requireMembership(
  action: NamedAction,
  path: ActionCall["path"],
  findRole: (orgId: string) => Promise<Role | undefined> | undefined,
): Promise<{ readonly orgId: string; readonly role: Role } | undefined> {
  if (NOT_OF_ORGANIZATIONS.includes(action.access)) return undefined;
  const orgId = path.orgId ?? "";
  const role = isIdOf("org", orgId) ? await findRole(orgId) : undefined;
  if (role === undefined) throw refuseAction("unknownOrganization");
  const capability = action.access as Capability;
  if (!allows(role, capability)) throw roleForbids(role, capability);
  return { orgId, role };
}

const PLAUSIBLE_NAME = /^[\x21-\x7e]{1,200}$/;

const USER_AGENT_MAX = 500;

function describeVisit({ request, requestId, client }: ActionCall, site: Site, now: number): Visit {
  return {
    requestId,
    address: client.address,
    userAgent: request.headers["user-agent"]?.slice(0, USER_AGENT_MAX) ?? null,
    cookie: request.headers.cookie ?? "",
    isSecure: site.isSecure,
    baseUrl: site.baseUrl,
    now,
  };
}

function refuse(call: ActionCall, progress: CallProgress, error: unknown): ActionOutcome {
  const refusal = findActionRefusal(error);
  const shown = refusal ?? refuseAction("internal");
  const { code, message, details, current } = shown;
  return {
    status: ACTION_ERRORS[code],
    code,
    json: JSON.stringify({ error: { code, message, details, current }, requestId: call.requestId }),
    // Rounded up, so that nobody comes a moment too soon.
    ...(shown instanceof TooManyTries ? { retryAfterSeconds: Math.max(1, Math.ceil(shown.waitMs / 1000)) } : {}),
    internalError: refusal === undefined ? error : undefined,
    ...progress,
  };
}

/** How log lines and metrics name an action: by its record, never by what was asked for. */
export function actionRouteOf(action: NamedAction | undefined, actionsPath: string): string {
  return action === undefined ? `unknown ${actionsPath}` : `${action.method} ${actionsPath}${action.path}`;
}
