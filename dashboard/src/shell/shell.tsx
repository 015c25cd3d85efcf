/** The frame around every page for somebody signed in: header, navigation, and the page. On a phone the navigation is a drawer. */
import { ActionIcon, Burger, Kbd, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useMatches, useRouter, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { SESSION_END, useSession } from "../client/session.ts";
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

const NavigationDrawer = lazy(() =>
  import("./navigation-drawer.tsx").then((module) => ({ default: module.NavigationDrawer })),
);

export function Shell() {
  const isPhone = useMediaQuery("(max-width: 61.99em)", undefined, { getInitialValueInEffect: false });
  const [isOpen, drawer] = useDisclosure(false);
  const shortcuts = useShortcuts();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isWide = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isWide === true) });
  const { close } = drawer;
  useSignedOutElsewhere();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer.
  useEffect(close, [path]);
  return (
    <>
      <a href="#page" className={classes.skip}>
        {NAVIGATION_TEXTS.skip}
      </a>
      <header className={classes.header}>
        {isPhone === true && (
          <Burger
            size="sm"
            opened={isOpen}
            onClick={drawer.toggle}
            aria-label={isOpen ? NAVIGATION_TEXTS.closeMenu : NAVIGATION_TEXTS.openMenu}
            aria-expanded={isOpen}
          />
        )}
        <Link to="/" className={classes.brand} aria-label={`${APP_NAME}: ${NAVIGATION_TEXTS.home}`}>
          <Logo />
          <Text span fw={700} className={classes.brandName ?? ""}>
            {APP_NAME}
          </Text>
        </Link>
        <span className={classes.slash} aria-hidden>
          /
        </span>
        <OrganizationSwitcher />
        <span className={classes.space} />
        <FindButton isPhone={isPhone === true} onClick={shortcuts.openPalette} />
        <ColorSchemeToggle />
        <UserMenu onShowShortcuts={shortcuts.showHelp} />
      </header>
      <div className={classes.body}>
        {isPhone !== true && (
          <div className={classes.side}>
            <Navigation />
          </div>
        )}
        <main className={classes.main} id="page" tabIndex={-1}>
          <div className={classes.page} data-wide={isWide || undefined}>
            <InsideMain value={true}>
              <Outlet />
            </InsideMain>
          </div>
        </main>
      </div>
      <Suspense>{isOpen && isPhone === true && <NavigationDrawer onClose={close} />}</Suspense>
      <Shortcuts control={shortcuts} />
    </>
  );
}

/** Leads to sign-in, and back to this page after it. */
function useSignedOutElsewhere(): void {
  const router = useRouter();
  const queryClient = useQueryClient();
  const isSignedOut = useSession()?.user === null;
  useEffect(() => {
    if (!isSignedOut) return;
    queryClient.setQueryData(SESSION_END, true);
    void router.invalidate();
  }, [isSignedOut, router, queryClient]);
}

function FindButton({ isPhone, onClick }: { readonly isPhone: boolean; readonly onClick: () => void }) {
  if (isPhone) {
    return (
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={NAVIGATION_TEXTS.find} onClick={onClick}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    );
  }
  return (
    <UnstyledButton className={classes.find ?? ""} onClick={onClick}>
      <IconSearch size={15} aria-hidden />
      <span>{NAVIGATION_TEXTS.shortFind}</span>
      <Kbd size="xs">{FIND_KEYS}</Kbd>
    </UnstyledButton>
  );
}
