/** What needs somebody's eye today; for an organization that has just begun, what to do first. */
import { SimpleGrid, Stack } from "@mantine/core";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Checklist } from "./checklist.tsx";
import { EndingContracts } from "./ending-contracts.tsx";
import { HomeFigures } from "./home-figures.tsx";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";
import { KeysToLookAt } from "./keys-to-look-at.tsx";
import { NextEvents } from "./next-events.tsx";
import { RequestsOfTheDay } from "./requests-of-the-day.tsx";
import { WebhooksToLookAt } from "./webhooks-to-look-at.tsx";

const RENEW_MS = 60_000;

export function HomePage() {
  const organization = useOrganization();
  const { data, error, refetch } = useAction(
    "getHome",
    { path: { orgId: organization.id } },
    { refetchInterval: RENEW_MS },
  );
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

/** With nothing in it yet, only what to do first is of use. */
function hasJustBegun(home: HomeView | undefined): boolean {
  return home !== undefined && !home.checklist.hasTeam && !home.checklist.hasPlayers && !home.checklist.hasKey;
}

function Overview({ home }: { readonly home: HomeView | undefined }) {
  return (
    <>
      <HomeFigures home={home} />
      <div className={classes.columns}>
        <RequestsOfTheDay hours={home?.hours} />
        {home?.keysNeedingAttention !== null && <KeysToLookAt keys={home?.keysNeedingAttention} />}
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <EndingContracts contracts={home?.endingContracts} />
        <NextEvents events={home?.nextEvents} />
      </SimpleGrid>
    </>
  );
}
