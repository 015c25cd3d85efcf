/** Where one can go: what the role in this organization allows, and nothing else. */
import { allows, type Capability } from "@lineup/api/dashboard/members";
import { Text } from "@mantine/core";
import {
  IconArrowsExchange,
  IconBuilding,
  IconBuildings,
  IconCalendar,
  IconContract,
  IconHistory,
  IconHome,
  IconKey,
  IconLayoutBoard,
  IconListSearch,
  IconShield,
  IconTelescope,
  IconUser,
  IconUsers,
  IconWebhook,
  type TablerIcon,
} from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import { type Membership, usePerson } from "../client/session.ts";
import { NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { NavigationLink } from "../ui/links.tsx";
import classes from "./navigation.module.css";
import { useLastMembership } from "./use-last-membership.ts";

type OrganizationPage =
  | "/orgs/$orgId"
  | "/orgs/$orgId/data/roster"
  | "/orgs/$orgId/data/players"
  | "/orgs/$orgId/data/teams"
  | "/orgs/$orgId/data/schedule"
  | "/orgs/$orgId/data/prospects"
  | "/orgs/$orgId/data/contracts"
  | "/orgs/$orgId/data/import-export"
  | "/orgs/$orgId/compliance/keys"
  | "/orgs/$orgId/compliance/webhooks"
  | "/orgs/$orgId/compliance/requests"
  | "/orgs/$orgId/compliance/audit"
  | "/orgs/$orgId/settings/organization"
  | "/orgs/$orgId/settings/members";

export interface PageEntry {
  readonly to: OrganizationPage;
  readonly name: string;
  readonly icon: TablerIcon;
  readonly capability: Capability;
}

export interface PageGroup {
  readonly name: string | null;
  readonly pages: readonly PageEntry[];
}

const GROUPS: readonly PageGroup[] = [
  {
    name: null,
    pages: [{ to: "/orgs/$orgId", name: NAVIGATION_TEXTS.home, icon: IconHome, capability: "organization:view" }],
  },
  {
    name: NAVIGATION_TEXTS.data,
    pages: [
      { to: "/orgs/$orgId/data/roster", name: NAVIGATION_TEXTS.roster, icon: IconLayoutBoard, capability: "data:view" },
      { to: "/orgs/$orgId/data/players", name: NAVIGATION_TEXTS.players, icon: IconUser, capability: "data:view" },
      { to: "/orgs/$orgId/data/teams", name: NAVIGATION_TEXTS.teams, icon: IconShield, capability: "data:view" },
      {
        to: "/orgs/$orgId/data/schedule",
        name: NAVIGATION_TEXTS.schedule,
        icon: IconCalendar,
        capability: "data:view",
      },
      {
        to: "/orgs/$orgId/data/prospects",
        name: NAVIGATION_TEXTS.prospects,
        icon: IconTelescope,
        capability: "data:view",
      },
      {
        to: "/orgs/$orgId/data/contracts",
        name: NAVIGATION_TEXTS.contracts,
        icon: IconContract,
        capability: "data:view",
      },
      {
        to: "/orgs/$orgId/data/import-export",
        name: NAVIGATION_TEXTS.importExport,
        icon: IconArrowsExchange,
        capability: "data:view",
      },
    ],
  },
  {
    name: NAVIGATION_TEXTS.compliance,
    pages: [
      { to: "/orgs/$orgId/compliance/keys", name: NAVIGATION_TEXTS.keys, icon: IconKey, capability: "keys:view" },
      {
        to: "/orgs/$orgId/compliance/webhooks",
        name: NAVIGATION_TEXTS.webhooks,
        icon: IconWebhook,
        capability: "keys:view",
      },
      {
        to: "/orgs/$orgId/compliance/requests",
        name: NAVIGATION_TEXTS.requests,
        icon: IconListSearch,
        capability: "requests:view",
      },
      {
        to: "/orgs/$orgId/compliance/audit",
        name: NAVIGATION_TEXTS.audit,
        icon: IconHistory,
        capability: "audit:view",
      },
    ],
  },
  {
    name: NAVIGATION_TEXTS.settings,
    pages: [
      {
        to: "/orgs/$orgId/settings/organization",
        name: NAVIGATION_TEXTS.organization,
        icon: IconBuilding,
        capability: "organization:view",
      },
      {
        to: "/orgs/$orgId/settings/members",
        name: NAVIGATION_TEXTS.members,
        icon: IconUsers,
        capability: "members:view",
      },
    ],
  },
];

/** The groups of pages that the role opens. */
export function listOpenPages(role: Membership["role"]): PageGroup[] {
  return GROUPS.map((group) => ({
    ...group,
    pages: group.pages.filter(({ capability }) => allows(role, capability)),
  })).filter(({ pages }) => pages.length > 0);
}

export function Navigation() {
  const membership = useLastMembership();
  const isOperator = usePerson()?.isOperator === true;
  return (
    <nav aria-label={NAVIGATION_TEXTS.label} className={classes.navigation}>
      {membership !== undefined &&
        listOpenPages(membership.role).map((group) => (
          <Group key={group.name ?? ""} name={group.name}>
            {group.pages.map(({ to, name, icon: IconShape }) => (
              <li key={to}>
                <NavigationLink
                  to={to}
                  params={{ orgId: membership.id }}
                  activeOptions={{ exact: to === "/orgs/$orgId", includeSearch: false }}
                  label={name}
                  leftSection={<IconShape size={18} stroke={1.75} aria-hidden />}
                  className={classes.link ?? ""}
                />
              </li>
            ))}
          </Group>
        ))}
      {isOperator && (
        <Group name={NAVIGATION_TEXTS.operator}>
          <li>
            <NavigationLink
              to="/operator/organizations"
              label={NAVIGATION_TEXTS.allOrganizations}
              leftSection={<IconBuildings size={18} stroke={1.75} aria-hidden />}
              className={classes.link ?? ""}
            />
          </li>
        </Group>
      )}
    </nav>
  );
}

function Group({ name, children }: { readonly name: string | null; readonly children: ReactNode }) {
  const labelId = useId();
  return (
    <div className={classes.group}>
      {name !== null && (
        <Text id={labelId} className={classes.name ?? ""}>
          {name}
        </Text>
      )}
      <ul aria-labelledby={name === null ? undefined : labelId}>{children}</ul>
    </div>
  );
}
