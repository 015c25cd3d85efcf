/** Who joined, changed or left a team of late, the latest first. Each leads to the player. */
import { Text } from "@mantine/core";
import { IconArrowsLeftRight } from "@tabler/icons-react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { listMoves } from "./home-moves.ts";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

const SHOWN = 6;
const MOVES_MS = 14 * 86_400_000;

export function RecentMoves({ assignments }: { readonly assignments: HomeView["moves"] | undefined }) {
  const { id: orgId } = useOrganization();
  const now = serverNow();
  const moves = assignments && listMoves(assignments, now - MOVES_MS, now).slice(0, SHOWN);
  return (
    <SectionCard
      title={HOME_TEXTS.movesTitle}
      actions={
        <TextLink to="/orgs/$orgId/data/roster" params={{ orgId }} size="sm">
          {HOME_TEXTS.toRoster}
        </TextLink>
      }
    >
      {moves === undefined && <LinesSkeleton lines={5} />}
      {moves?.length === 0 && (
        <EmptyState icon={<IconArrowsLeftRight size={22} />} title={HOME_TEXTS.movesNone} heading={3}>
          {HOME_TEXTS.movesNoneBody}
        </EmptyState>
      )}
      {moves !== undefined && moves.length > 0 && (
        <ul className={classes.rows}>
          {moves.map(({ playerId, ign, at, to, from }) => (
            <li key={`${playerId} ${at}`} className={classes.row}>
              <div className={classes.grow}>
                <TextLink to="/orgs/$orgId/data/players/$playerId" params={{ orgId, playerId }} fw={600}>
                  {ign}
                </TextLink>
                <Text size="sm" c="dimmed">
                  {to === undefined ? HOME_TEXTS.left(from ?? "") : HOME_TEXTS.joined(to, from)}
                </Text>
              </div>
              <Text component="div" ta="right" size="sm">
                <ExactTime at={at} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </SectionCard>
  );
}
