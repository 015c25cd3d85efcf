/** What needs somebody's eye today; for an organization that has just begun, what to do first. */
import { SimpleGrid, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { followingQuery } from "../records/record-cache.ts";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Checklist } from "./checklist.tsx";
import { ContractsToDecide } from "./contracts-to-decide.tsx";
import { HomeFigures } from "./home-figures.tsx";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";
import { KeysToLookAt } from "./keys-to-look-at.tsx";
import { RecentMoves } from "./recent-moves.tsx";
import { RequestsOfTheDay } from "./requests-of-the-day.tsx";
import { WaitingProspects } from "./waiting-prospects.tsx";
import { WebhooksToLookAt } from "./webhooks-to-look-at.tsx";
import { WeekEvents } from "./week-events.tsx";

const RENEW_MS = 60_000;

export function HomePage() {
  const organization = useOrganization();
  const { data, error, refetch } = useAction(
    "getHome",
    { path: { orgId: organization.id } },
    { refetchInterval: RENEW_MS },
  );
  useFollowedHome(organization.id, refetch);
  const mayFill = useAllows("data:manage");
  const maySeeWebhooks = useAllows("keys:view");
  const mayBegin = useAllows("keys:manage") || mayFill;
  return (
    <>
      <PageHeader title={HOME_TEXTS.title} lead={HOME_TEXTS.lead(organization.name, organization.tier)} />
      {maySeeWebhooks && <WebhooksToLookAt orgId={organization.id} />}
      {error !== null && data === undefined ? (
        <LoadFault failure={error} onRetry={refetch} />
      ) : (
        <Stack gap="lg">
          {data !== undefined && mayBegin && <Checklist organization={organization} checklist={data.checklist} />}
          {!(mayBegin && hasJustBegun(data)) && <Overview home={data} />}
        </Stack>
      )}
    </>
  );
}

/** What others change shows up by itself. */
function useFollowedHome(orgId: string, refetch: () => unknown): void {
  const { data: sequence } = useQuery(followingQuery(useQueryClient(), orgId));
  const seen = useRef(sequence);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== sequence) void refetch();
    seen.current = sequence;
  }, [sequence, refetch]);
}

/** With nothing in it yet, only what to do first is of use. */
function hasJustBegun(home: HomeView | undefined): boolean {
  return home !== undefined && !home.checklist.hasTeam && !home.checklist.hasPlayers && !home.checklist.hasKey;
}

function Overview({ home }: { readonly home: HomeView | undefined }) {
  return (
    <>
      <HomeFigures home={home} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <WeekEvents events={home?.events} />
        <ContractsToDecide contracts={home?.contracts} />
        <WaitingProspects prospects={home?.waitingProspects} />
        <RecentMoves assignments={home?.moves} />
      </SimpleGrid>
      <div className={classes.columns}>
        <RequestsOfTheDay hours={home?.hours} />
        {home?.keysNeedingAttention !== null && <KeysToLookAt keys={home?.keysNeedingAttention} />}
      </div>
    </>
  );
}
