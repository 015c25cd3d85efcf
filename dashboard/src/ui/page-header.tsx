/**
 * The head of every page: sets the window's title and takes the focus when the page was opened by a link inside the dashboard.
 *
 * PageHeader { title, lead?, actions?, back?, badge? }
 *   title    the heading, plain text (also the window's title)
 *   lead     a sentence under it
 *   badge    stands beside the heading, such as a StatusBadge
 *   actions  buttons at its right (below it on a phone)
 *   back     a link to the page above, usually <BackLink …>
 */
import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useFoundOrganization } from "../client/session.ts";
import { APP_NAME } from "../texts/frame-texts.ts";

export interface PageHeaderProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: ReactNode;
}

export function PageHeader({ title, lead, badge, actions, back }: PageHeaderProps) {
  const heading = usePageHeading(title);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <Stack gap={4} miw={0}>
        {back}
        <Group gap="sm">
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {badge}
        </Group>
        {lead !== undefined && (
          <Text c="dimmed" maw={680}>
            {lead}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

/** On the first page the browser begins at the top by itself. */
let isFirstPage = true;

/** For pages with a heading of their own: gives the window its title, and the heading the focus. */
export function usePageHeading(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const organization = useFoundOrganization()?.name;
  useEffect(() => {
    document.title = [title, organization, APP_NAME].filter((part) => part !== undefined).join(" · ");
  }, [title, organization]);
  useEffect(() => {
    // Where nobody has done anything yet, no page was opened from another: the same one has only found out what it shows.
    const isUntouched = isFirstPage || navigator.userActivation?.hasBeenActive === false;
    if (!isUntouched) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return heading;
}
