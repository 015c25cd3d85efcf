/** Where a player has been, and as what: the open assignment first, then back to the first. */
import type { Player } from "@lineup/api/players";
import type { RosterEntry } from "@lineup/api/roster";
import { Badge, Group, Text } from "@mantine/core";
import { useEffect } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { useRecords } from "../records/use-records.ts";
import { PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import classes from "./team-timeline.module.css";

export function TeamTimeline({ player }: { readonly player: Player }) {
  const { id: orgId } = useOrganization();
  const assignments = useAction("listAssignments", { path: { orgId, recordId: player.id } });
  const { refetch } = assignments;
  const open = useRecords("assignment").all?.find(({ playerId }) => playerId === player.id);
  // One that was to begin later and was closed before ends as it begins: nobody was there.
  const stays = assignments.data?.items.filter(({ joinedAt, leftAt }) => leftAt !== joinedAt);
  const version = `${player.updatedAt} ${open?.updatedAt}`;
  // The past is not among the records that are followed; it changes when the player or the open assignment does.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version is what says that there is something new.
  useEffect(() => {
    void refetch();
  }, [version, refetch]);
  return (
    <SectionCard title={TEXTS.timeline}>
      {stays === undefined ? (
        assignments.error === null ? (
          <LinesSkeleton lines={3} />
        ) : (
          <LoadFault failure={assignments.error} onRetry={assignments.refetch} />
        )
      ) : stays.length === 0 ? (
        <Text size="sm" c="dimmed">
          {TEXTS.timelineEmpty}
        </Text>
      ) : (
        <ol className={classes.line}>
          {stays.toReversed().map((entry) => (
            <Stay key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
    </SectionCard>
  );
}

function Stay({ entry }: { readonly entry: RosterEntry }) {
  const { teamName, game, role, joinedAt, leftAt, isStarter, isCaptain } = entry;
  const isToCome = leftAt === null && joinedAt > serverNow();
  return (
    <li className={classes.stay} data-open={leftAt === null || undefined}>
      <Group gap={6}>
        <Text size="sm" fw={600}>
          {teamName}
        </Text>
        <Text size="sm">
          {role}, {game}
        </Text>
        {isStarter && (
          <Badge size="sm" variant="light" color="gray" tt="none">
            {TEXTS.starter}
          </Badge>
        )}
        {isCaptain && (
          <Badge size="sm" variant="light" tt="none">
            {TEXTS.captain}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {isToCome && `${TEXTS.from} `}
        <ExactTime at={joinedAt} as="utc-day" isStop={false} />
        {!isToCome && " – "}
        {!isToCome && (leftAt === null ? TEXTS.today : <ExactTime at={leftAt} as="utc-day" isStop={false} />)}
      </Text>
    </li>
  );
}
