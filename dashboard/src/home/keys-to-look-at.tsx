/** Keys that end within 14 days, are being rotated or are rate limited. */
import { Code, Group, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useOrganization } from "../client/session.ts";
import { KeyStateBadge } from "../compliance/key-state-badge.tsx";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

export function KeysToLookAt({ keys }: { readonly keys: NonNullable<HomeView["keysNeedingAttention"]> | undefined }) {
  const { id } = useOrganization();
  return (
    <SectionCard
      title={HOME_TEXTS.keysTitle}
      actions={
        <TextLink to="/orgs/$orgId/compliance/keys" params={{ orgId: id }} size="sm">
          {HOME_TEXTS.allKeys}
        </TextLink>
      }
    >
      {keys === undefined && <LinesSkeleton lines={5} />}
      {keys?.length === 0 && (
        <EmptyState icon={<IconKey size={22} />} title={HOME_TEXTS.keysNone} heading={3}>
          {HOME_TEXTS.keysNoneBody}
        </EmptyState>
      )}
      {keys !== undefined && keys.length > 0 && (
        <ul className={classes.rows}>
          {keys.map((key) => (
            <li key={key.id} className={classes.block}>
              <Group justify="space-between" gap="xs">
                <TextLink to="/orgs/$orgId/compliance/keys/$keyId" params={{ orgId: id, keyId: key.id }} fw={600}>
                  {key.name}
                </TextLink>
                <KeyStateBadge state={key.state} />
              </Group>
              <Text size="sm" c="dimmed" component="div">
                <Code>{key.shownPrefix}…</Code>
                {key.expiresAt !== null && (
                  <>
                    {" · "}
                    {HOME_TEXTS.ends} <ExactTime at={key.expiresAt} />
                  </>
                )}
              </Text>
            </li>
          ))}
        </ul>
      )}
    </SectionCard>
  );
}
