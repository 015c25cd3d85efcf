/** One's own account, and the way out. */
import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconDevices, IconKeyboard, IconLogout, IconPalette, IconShieldLock, IconUser } from "@tabler/icons-react";
import { useSignOut } from "../client/entering.ts";
import { usePerson } from "../client/session.ts";
import { NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { MenuItemLink } from "../ui/links.tsx";
import { findInitials } from "./initials.ts";

const ICON = { size: 16, stroke: 1.75, "aria-hidden": true } as const;

export function UserMenu({ onShowShortcuts }: { readonly onShowShortcuts: () => void }) {
  const person = usePerson();
  const signOut = useSignOut();
  if (person === null) return null;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: "50%" }} ml={4}>
          <VisuallyHidden>{NAVIGATION_TEXTS.userMenu(person.name)}</VisuallyHidden>
          <Avatar size={34} radius="xl" color="petrol" variant="light" aria-hidden>
            {findInitials(person.name) ?? <IconUser size={18} aria-hidden />}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {person.name}
          </Text>
          <Text size="xs" truncate>
            {person.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <MenuItemLink to="/account/profile" leftSection={<IconUser {...ICON} />}>
          {NAVIGATION_TEXTS.profile}
        </MenuItemLink>
        <MenuItemLink to="/account/security" leftSection={<IconShieldLock {...ICON} />}>
          {NAVIGATION_TEXTS.security}
        </MenuItemLink>
        <MenuItemLink to="/account/sessions" leftSection={<IconDevices {...ICON} />}>
          {NAVIGATION_TEXTS.sessions}
        </MenuItemLink>
        <MenuItemLink to="/account/appearance" leftSection={<IconPalette {...ICON} />}>
          {NAVIGATION_TEXTS.appearance}
        </MenuItemLink>
        <Menu.Divider />
        <Menu.Item leftSection={<IconKeyboard {...ICON} />} onClick={onShowShortcuts}>
          {NAVIGATION_TEXTS.shortcuts}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout {...ICON} />} onClick={() => signOut.mutate({})}>
          {NAVIGATION_TEXTS.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
