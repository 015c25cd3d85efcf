/** The frame around every page for somebody signed in: header, navigation, and the page. On a phone the navigation is a drawer. */
import { ActionIcon, AppShell, Burger, Drawer, Group, Kbd, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { InsideMain } from "../faults/fault-page.tsx";
import { APP_NAME, NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { ColorSchemeToggle } from "./color-scheme-toggle.tsx";
import { Logo } from "./logo.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import classes from "./shell.module.css";
import { FIND_KEYS } from "./shortcut-keys.ts";
import { Shortcuts, useShortcuts } from "./shortcuts.tsx";
import { UserMenu } from "./user-menu.tsx";

export function Shell() {
  const [isOpen, drawer] = useDisclosure(false);
  const isPhone = useMediaQuery("(max-width: 61.99em)", undefined, { getInitialValueInEffect: false });
  const shortcuts = useShortcuts();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { close } = drawer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer.
  useEffect(close, [path]);
  return (
    <>
      <a href="#page" className={classes.skip}>
        {NAVIGATION_TEXTS.skip}
      </a>
      <AppShell header={{ height: 56 }} navbar={{ width: 232, breakpoint: "md", collapsed: { mobile: true } }}>
        <AppShell.Header className={classes.header ?? ""}>
          <Group h="100%" px={{ base: "sm", md: "md" }} justify="space-between" wrap="nowrap" gap="xs">
            <Group gap="xs" wrap="nowrap" miw={0}>
              <Burger
                hiddenFrom="md"
                size="sm"
                opened={isOpen}
                onClick={drawer.toggle}
                aria-label={isOpen ? NAVIGATION_TEXTS.closeMenu : NAVIGATION_TEXTS.openMenu}
                aria-expanded={isOpen}
              />
              <Link to="/" className={classes.brand} aria-label={`${APP_NAME}: ${NAVIGATION_TEXTS.home}`}>
                <Logo />
                <Text span fw={700} visibleFrom="sm">
                  {APP_NAME}
                </Text>
              </Link>
              <span className={classes.slash} aria-hidden>
                /
              </span>
              <OrganizationSwitcher />
            </Group>
            <Group gap={4} wrap="nowrap">
              <UnstyledButton className={classes.find} onClick={shortcuts.openPalette} visibleFrom="md">
                <IconSearch size={15} aria-hidden />
                <span>{NAVIGATION_TEXTS.shortFind}</span>
                <Kbd size="xs">{FIND_KEYS}</Kbd>
              </UnstyledButton>
              <ActionIcon
                hiddenFrom="md"
                variant="subtle"
                color="gray"
                size={36}
                aria-label={NAVIGATION_TEXTS.find}
                onClick={shortcuts.openPalette}
              >
                <IconSearch size={18} aria-hidden />
              </ActionIcon>
              <ColorSchemeToggle />
              <UserMenu onShowShortcuts={shortcuts.showHelp} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes.navbar ?? ""} p="xs">
          {isPhone !== true && <Navigation />}
        </AppShell.Navbar>
        <AppShell.Main className={classes.main ?? ""} id="page" tabIndex={-1}>
          <div className={classes.page}>
            <InsideMain value={true}>
              <Outlet />
            </InsideMain>
          </div>
        </AppShell.Main>
      </AppShell>
      <Drawer
        opened={isOpen && isPhone === true}
        onClose={close}
        size={280}
        title={APP_NAME}
        closeButtonProps={{ "aria-label": NAVIGATION_TEXTS.closeMenu }}
      >
        <Navigation />
      </Drawer>
      <Shortcuts control={shortcuts} />
    </>
  );
}
