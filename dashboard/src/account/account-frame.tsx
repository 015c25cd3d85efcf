/** The pages of one's own account, side by side. AccountFrame { title, lead, children } */

import { Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ACCOUNT_NAVIGATION_LABEL } from "../texts/account-texts.ts";
import { NAVIGATION_TEXTS } from "../texts/frame-texts.ts";
import { PageHeader } from "../ui/page-header.tsx";
import classes from "./account-frame.module.css";

const PAGES = [
  { to: "/account/profile", name: NAVIGATION_TEXTS.profile },
  { to: "/account/security", name: NAVIGATION_TEXTS.security },
  { to: "/account/sessions", name: NAVIGATION_TEXTS.sessions },
  { to: "/account/appearance", name: NAVIGATION_TEXTS.appearance },
] as const;

export interface AccountFrameProps {
  readonly title: string;
  readonly lead: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function AccountFrame({ title, lead, actions, children }: AccountFrameProps) {
  return (
    <div className={classes.frame}>
      <PageHeader title={title} lead={lead} actions={actions} />
      <nav aria-label={ACCOUNT_NAVIGATION_LABEL} className={classes.pages}>
        {PAGES.map(({ to, name }) => (
          <Link key={to} to={to} className={classes.page}>
            {name}
          </Link>
        ))}
      </nav>
      <Stack gap="lg">{children}</Stack>
    </div>
  );
}
