/**
 * Mantine's looks with the router's links: <ButtonLink to="/orgs/$orgId/compliance/keys/new" params={{ orgId }}>…</ButtonLink>
 * TextLink, ButtonLink, NavigationLink, MenuItemLink, and BackLink (a small link with an arrow, for PageHeader's `back`).
 */
import { Anchor, Button, Menu, NavLink } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef, ReactNode } from "react";
import classes from "./links.module.css";

type Rendered<Props> = Props & Omit<ComponentPropsWithRef<"a">, keyof Props>;

export const TextLink = createLink((props: Rendered<Anchor.Props>) => <Anchor {...props} />);
export const ButtonLink = createLink((props: Rendered<Button.Props>) => <Button component="a" {...props} />);
export const NavigationLink = createLink((props: Rendered<NavLink.Props>) => <NavLink {...props} />);
export const MenuItemLink = createLink((props: Rendered<Menu.Item.Props>) => <Menu.Item component="a" {...props} />);

export const BackLink = createLink(({ children, ...props }: Rendered<Anchor.Props> & { children?: ReactNode }) => (
  <Anchor {...props} size="sm" className={classes.back ?? ""}>
    <IconArrowLeft size={14} aria-hidden />
    {children}
  </Anchor>
));
