/** The organization one is in, and the way to one's others. */
import { Menu, Text, UnstyledButton } from "@mantine/core";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import { useSession } from "../client/session.ts";
import { NAVIGATION_TEXTS, ROLE_NAMES } from "../texts/frame-texts.ts";
import { MenuItemLink } from "../ui/links.tsx";
import classes from "./organization-switcher.module.css";
import { useLastMembership } from "./use-last-membership.ts";

export function OrganizationSwitcher() {
  const current = useLastMembership();
  const organizations = useSession()?.organizations ?? [];
  if (current === undefined) return <Text c="dimmed">{NAVIGATION_TEXTS.noOrganization}</Text>;
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <UnstyledButton
          className={classes.switcher}
          aria-label={`${NAVIGATION_TEXTS.switchOrganization}: ${current.name}`}
        >
          <Text span fw={600} truncate>
            {current.name}
          </Text>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{NAVIGATION_TEXTS.switchOrganization}</Menu.Label>
        {organizations.map(({ id, name, role }) => (
          <MenuItemLink
            key={id}
            to="/orgs/$orgId"
            params={{ orgId: id }}
            rightSection={id === current.id ? <IconCheck size={16} aria-hidden /> : undefined}
            aria-current={id === current.id ? "true" : undefined}
          >
            <Text size="sm" fw={500} truncate>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {ROLE_NAMES[role]}
            </Text>
          </MenuItemLink>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
