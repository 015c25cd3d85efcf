/** Prospects who wait for somebody: contacted, on trial or offered, the longest wait first. Each leads to its card. */
import { Text } from "@mantine/core";
import { IconTelescope } from "@tabler/icons-react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { HOME_TEXTS, PROSPECT_STAGE_NAMES } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { TextLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { sayAge } from "../ui/time-words.ts";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

const SHOWN = 6;

export function WaitingProspects({ prospects }: { readonly prospects: HomeView["waitingProspects"] | undefined }) {
  const { id: orgId } = useOrganization();
  return (
    <SectionCard
      title={HOME_TEXTS.prospectsTitle}
      actions={
        <TextLink to="/orgs/$orgId/data/prospects" params={{ orgId }} size="sm">
          {HOME_TEXTS.allProspects}
        </TextLink>
      }
    >
      {prospects === undefined && <LinesSkeleton lines={5} />}
      {prospects?.length === 0 && (
        <EmptyState icon={<IconTelescope size={22} />} title={HOME_TEXTS.prospectsNone} heading={3}>
          {HOME_TEXTS.prospectsNoneBody}
        </EmptyState>
      )}
      {prospects !== undefined && prospects.length > 0 && (
        <ul className={classes.rows}>
          {prospects.slice(0, SHOWN).map((prospect) => (
            <li key={prospect.id} className={classes.row}>
              <div className={classes.grow}>
                <TextLink to="/orgs/$orgId/data/prospects" params={{ orgId }} search={{ open: prospect.id }} fw={600}>
                  {prospect.ign}
                </TextLink>
                <Text size="sm" c="dimmed">
                  {[prospect.game, prospect.role, prospect.assignedTo].filter(Boolean).join(" · ")}
                </Text>
              </div>
              <Text component="div" ta="right">
                <Text fw={600} component="div">
                  {PROSPECT_STAGE_NAMES[prospect.stage]}
                </Text>
                <Text size="sm" c="dimmed">
                  {sayAge(prospect.stageChangedAt, serverNow())}
                </Text>
              </Text>
            </li>
          ))}
        </ul>
      )}
    </SectionCard>
  );
}
