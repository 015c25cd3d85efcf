import { IconActivity } from "@tabler/icons-react";
import { useAllows, useOrganization } from "../client/session.ts";
import { HOME_TEXTS } from "../texts/home-texts.ts";
import { BarSeries } from "../ui/bar-series.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TextLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { BlockSkeleton } from "../ui/skeletons.tsx";
import { sayDayAndTime, sayTime } from "../ui/time-words.ts";
import type { HomeView } from "./home-view.ts";

const SERIES = [
  { name: HOME_TEXTS.answered, tone: "info" },
  { name: HOME_TEXTS.refused, tone: "warn" },
  { name: HOME_TEXTS.failed, tone: "bad" },
] as const;

export function RequestsOfTheDay({ hours }: { readonly hours: HomeView["hours"] | undefined }) {
  const { id } = useOrganization();
  const mayOpen = useAllows("requests:view");
  const isEmpty = hours?.every(({ answered, refused, failed }) => answered + refused + failed === 0);
  return (
    <SectionCard
      title={HOME_TEXTS.chart}
      actions={
        mayOpen && (
          <TextLink to="/orgs/$orgId/compliance/requests" params={{ orgId: id }} size="sm">
            {HOME_TEXTS.allRequests}
          </TextLink>
        )
      }
    >
      {hours === undefined && <BlockSkeleton height={220} />}
      {isEmpty === true && (
        <EmptyState icon={<IconActivity size={22} />} title={HOME_TEXTS.noRequests} heading={3}>
          {HOME_TEXTS.noRequestsBody}
        </EmptyState>
      )}
      {hours !== undefined && isEmpty === false && (
        <BarSeries
          label={HOME_TEXTS.chart}
          steps={hours.map(({ at, answered, refused, failed }) => ({ at, values: [answered, refused, failed] }))}
          series={SERIES}
          sayStep={sayDayAndTime}
          sayTick={sayTime}
          height={176}
          stepName={HOME_TEXTS.hour}
        />
      )}
    </SectionCard>
  );
}
