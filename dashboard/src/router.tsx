/** Every page and its address. Pages come when they are opened; who may open one is checked here, and at every call by the server. */
import type { Capability } from "@lineup/api/dashboard/members";
import type { PagePath } from "@lineup/api/dashboard/pages";
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { findLastOrganization, noteOrganization } from "./client/last-organization.ts";
import { sessionQuery } from "./client/session.ts";
import { BrokenPage } from "./faults/broken-page.tsx";
import { NotFoundPage } from "./faults/not-found-page.tsx";
import { beginReading } from "./records/record-cache.ts";
import type { Kind } from "./records/record-kinds.ts";
import { parseSearch, readTexts, stringifySearch } from "./route-search.ts";
import { MembersOnly } from "./shell/members-only.tsx";
import { Shell } from "./shell/shell.tsx";
import { StartSkeleton } from "./shell/start-skeleton.tsx";
import { PageSkeleton } from "./ui/skeletons.tsx";

interface RouterContext {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** Back to where one was, once signed in. Only ever an address of our own. */
function readBack(search: Record<string, unknown>): { back?: string } {
  const { back } = search;
  return typeof back === "string" && /^\/(?![/\\])/.test(back) ? { back } : {};
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: readBack,
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session.user !== null) throw redirect({ href: search.back ?? "/" });
    if (session.needsSetup) throw redirect({ to: "/setup" });
  },
  component: lazyRouteComponent(() => import("./entry/sign-in-page.tsx"), "SignInPage"),
});
const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  component: lazyRouteComponent(() => import("./entry/setup-page.tsx"), "SetupPage"),
});
const link = createRoute({
  getParentRoute: () => root,
  path: "/link",
  component: lazyRouteComponent(() => import("./entry/link-page.tsx"), "LinkPage"),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: "/forgot",
  component: lazyRouteComponent(() => import("./entry/forgot-page.tsx"), "ForgotPage"),
});

/** All that needs somebody signed in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  beforeLoad: async ({ context, location }) => {
    // Asked anew behind the page's back; the shell notices if nobody is signed in any more.
    const session = await context.queryClient.ensureQueryData({ ...sessionQuery, revalidateIfStale: true });
    if (session.user !== null) return;
    if (session.needsSetup) throw redirect({ to: "/setup" });
    throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { back: location.href } });
  },
  pendingComponent: StartSkeleton,
  component: Shell,
});

const start = createRoute({
  getParentRoute: () => inside,
  path: "/",
  beforeLoad: async ({ context }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    const last = findLastOrganization();
    const chosen = session.organizations.find(({ id }) => id === last) ?? session.organizations[0];
    if (chosen !== undefined) throw redirect({ to: "/orgs/$orgId", params: { orgId: chosen.id } });
    if (session.user?.isOperator === true) throw redirect({ to: "/operator/organizations" });
  },
  component: lazyRouteComponent(() => import("./faults/no-organization-page.tsx"), "NoOrganizationPage"),
});

const organization = createRoute({
  getParentRoute: () => inside,
  path: "/orgs/$orgId",
  beforeLoad: async ({ context, params }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session.organizations.some(({ id }) => id === params.orgId)) noteOrganization(params.orgId);
  },
  component: MembersOnly,
});

const needs = (capability: Capability) => ({ staticData: { capability } });

const home = createRoute({
  getParentRoute: () => organization,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home-page.tsx"), "HomePage"),
});
/** Its pages show records that others change meanwhile. */
const data = createRoute({
  ...needs("data:view"),
  getParentRoute: () => organization,
  id: "data",
  beforeLoad: ({ context: { queryClient }, params: { orgId }, matches, preload }) => {
    const isMember = queryClient.getQueryData(sessionQuery.queryKey)?.organizations.some(({ id }) => id === orgId);
    // A link that is only pointed at asks for the page's script alone.
    if (isMember !== true || preload) return;
    beginReading(
      queryClient,
      orgId,
      matches.flatMap(({ staticData }) => staticData.shows ?? []),
    );
  },
  component: lazyRouteComponent(() => import("./records/data-frame.tsx"), "DataFrame"),
});
/** The records are asked for beside the page's script. */
const shows = (...kinds: readonly Kind[]) => ({ staticData: { shows: kinds } });
const showsWide = (...kinds: readonly Kind[]) => ({ staticData: { shows: kinds, isWide: true } });

const roster = createRoute({
  ...showsWide("team", "assignment", "player"),
  getParentRoute: () => data,
  path: "/data/roster",
  validateSearch: readTexts(["q", "game", "team", "day"]),
  component: lazyRouteComponent(() => import("./roster/roster-page.tsx"), "RosterPage"),
});
const players = createRoute({
  ...shows("player", "team"),
  getParentRoute: () => data,
  path: "/data/players",
  validateSearch: readTexts(["q", "team", "game", "role", "status", "contract", "sort"]),
  component: lazyRouteComponent(() => import("./players/players-page.tsx"), "PlayersPage"),
});
const player = createRoute({
  ...shows("player", "team"),
  getParentRoute: () => data,
  path: "/data/players/$playerId",
  validateSearch: readTexts(["tab"]),
  component: lazyRouteComponent(() => import("./players/player-page.tsx"), "PlayerPage"),
});
const teams = createRoute({
  ...shows("team", "assignment", "event"),
  getParentRoute: () => data,
  path: "/data/teams",
  validateSearch: readTexts(["q", "game", "status"]),
  component: lazyRouteComponent(() => import("./teams/teams-page.tsx"), "TeamsPage"),
});
const schedule = createRoute({
  ...showsWide("event", "team"),
  getParentRoute: () => data,
  path: "/data/schedule",
  validateSearch: readTexts(["view", "date", "team", "kind", "status", "open"]),
  component: lazyRouteComponent(() => import("./schedule/schedule-page.tsx"), "SchedulePage"),
});
const prospects = createRoute({
  ...showsWide("prospect", "team"),
  getParentRoute: () => data,
  path: "/data/prospects",
  validateSearch: readTexts(["q", "view", "game", "priority", "assignee", "sort", "open"]),
  component: lazyRouteComponent(() => import("./prospects/prospects-page.tsx"), "ProspectsPage"),
});
const contracts = createRoute({
  ...showsWide("contract", "team"),
  getParentRoute: () => data,
  path: "/data/contracts",
  validateSearch: readTexts(["q", "view", "status", "team", "kind", "alert", "span", "sort", "open"]),
  component: lazyRouteComponent(() => import("./contracts/contracts-page.tsx"), "ContractsPage"),
});
const importExport = createRoute({
  getParentRoute: () => data,
  path: "/data/import-export",
  validateSearch: readTexts(["tab"]),
  component: lazyRouteComponent(() => import("./transfer/import-export-page.tsx"), "ImportExportPage"),
});
const keys = createRoute({
  ...needs("keys:view"),
  getParentRoute: () => organization,
  path: "/compliance/keys",
  validateSearch: readTexts(["q", "state"]),
  component: lazyRouteComponent(() => import("./compliance/keys-page.tsx"), "KeysPage"),
});
const newKey = createRoute({
  ...needs("keys:manage"),
  getParentRoute: () => organization,
  path: "/compliance/keys/new",
  component: lazyRouteComponent(() => import("./compliance/create-key-page.tsx"), "CreateKeyPage"),
});
const key = createRoute({
  ...needs("keys:view"),
  getParentRoute: () => organization,
  path: "/compliance/keys/$keyId",
  validateSearch: readTexts(["span"]),
  component: lazyRouteComponent(() => import("./compliance/key-page.tsx"), "KeyPage"),
});
const webhooks = createRoute({
  ...needs("keys:view"),
  getParentRoute: () => organization,
  path: "/compliance/webhooks",
  validateSearch: readTexts(["q", "state"]),
  component: lazyRouteComponent(() => import("./compliance/webhooks-page.tsx"), "WebhooksPage"),
});
const newWebhook = createRoute({
  ...needs("keys:manage"),
  getParentRoute: () => organization,
  path: "/compliance/webhooks/new",
  component: lazyRouteComponent(() => import("./compliance/create-webhook-page.tsx"), "CreateWebhookPage"),
});
const webhook = createRoute({
  ...needs("keys:view"),
  getParentRoute: () => organization,
  path: "/compliance/webhooks/$webhookId",
  validateSearch: readTexts(["state", "type", "range", "from", "to"]),
  component: lazyRouteComponent(() => import("./compliance/webhook-page.tsx"), "WebhookPage"),
});
const requests = createRoute({
  ...needs("requests:view"),
  getParentRoute: () => organization,
  path: "/compliance/requests",
  validateSearch: readTexts(["id", "keyId", "status", "code", "method", "path", "range", "from", "to", "open"]),
  component: lazyRouteComponent(() => import("./compliance/requests-page.tsx"), "RequestsPage"),
});
const audit = createRoute({
  ...needs("audit:view"),
  getParentRoute: () => organization,
  path: "/compliance/audit",
  validateSearch: readTexts(["actor", "action", "target", "range", "from", "to"]),
  component: lazyRouteComponent(() => import("./compliance/audit-page.tsx"), "AuditPage"),
});
const organizationSettings = createRoute({
  ...needs("organization:view"),
  getParentRoute: () => organization,
  path: "/settings/organization",
  component: lazyRouteComponent(() => import("./settings/organization-page.tsx"), "OrganizationPage"),
});
const members = createRoute({
  ...needs("members:view"),
  getParentRoute: () => organization,
  path: "/settings/members",
  component: lazyRouteComponent(() => import("./settings/members-page.tsx"), "MembersPage"),
});

const profile = createRoute({
  getParentRoute: () => inside,
  path: "/account/profile",
  component: lazyRouteComponent(() => import("./account/profile-page.tsx"), "ProfilePage"),
});
const security = createRoute({
  getParentRoute: () => inside,
  path: "/account/security",
  component: lazyRouteComponent(() => import("./account/security-page.tsx"), "SecurityPage"),
});
const sessions = createRoute({
  getParentRoute: () => inside,
  path: "/account/sessions",
  component: lazyRouteComponent(() => import("./account/sessions-page.tsx"), "SessionsPage"),
});
const appearance = createRoute({
  getParentRoute: () => inside,
  path: "/account/appearance",
  component: lazyRouteComponent(() => import("./account/appearance-page.tsx"), "AppearancePage"),
});

const organizations = createRoute({
  getParentRoute: () => inside,
  path: "/operator/organizations",
  validateSearch: readTexts(["q"]),
  component: lazyRouteComponent(() => import("./operator/organizations-page.tsx"), "OrganizationsPage"),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  link,
  forgot,
  inside.addChildren([
    start,
    organization.addChildren([
      home,
      data.addChildren([roster, players, player, teams, schedule, prospects, contracts, importExport]),
      keys,
      newKey,
      key,
      webhooks,
      newWebhook,
      webhook,
      requests,
      audit,
      organizationSettings,
      members,
    ]),
    profile,
    security,
    sessions,
    appearance,
    organizations,
  ]),
]);

const PENDING_MS = 150;

export function createPageRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingMs: PENDING_MS,
    // A page is shown as soon as it is there, however short its skeleton stood.
    defaultPendingMinMs: 0,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
  interface StaticDataRouteOption {
    /** What a member's role must allow for the page to be shown. */
    capability?: Capability;
    /** Whose records the page shows first. */
    shows?: readonly Kind[];
    /** Whether it is as wide as the window: boards, calendars and time lines. */
    isWide?: boolean;
  }
}

type Trimmed<P> = P extends `${infer Head}/` ? (Head extends "" ? "/" : Head) : P;
type RoutePath = Trimmed<keyof ReturnType<typeof createPageRouter>["routesByPath"]>;
type Difference = Exclude<RoutePath, PagePath> | Exclude<PagePath, RoutePath>;
/** The server answers with the dashboard at these addresses and at no others; a difference does not compile. */
export const UNSERVED_PAGES: readonly Difference[] = [] satisfies readonly [Difference] extends readonly [never]
  ? readonly []
  : Difference;
