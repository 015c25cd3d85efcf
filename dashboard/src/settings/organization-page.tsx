/** Settings › Organization: its name, its tier and what it allows, and how much of it is used. */
import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { live } from "../client/live.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { ORGANIZATION_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { StatCard } from "../ui/stat-card.tsx";
import { BusiestKey } from "./busiest-key.tsx";
import { LeaveOrganization } from "./leave-organization.tsx";
import { MemberCalendarLinks } from "./member-calendar-links.tsx";
import { OrganizationName } from "./organization-name.tsx";
import { TierTable } from "./tier-table.tsx";

const LIVE_MS = 30_000;

export function OrganizationPage() {
  const { id: orgId, name, tier } = useOrganization();
  const organization = useAction("getOrganization", { path: { orgId } }, live(LIVE_MS));
  const { data, error } = organization;
  const usage = data?.usage;
  const seesAllLinks = useAllows("members:manage");
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} />
      <Stack gap="md">
        {data === undefined && error !== null && <LoadFault failure={error} onRetry={organization.refetch} />}
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
          <StatCard label={TEXTS.requestsLastDay} value={usage && sayNumber(usage.requestsLastDay)} />
          <StatCard label={TEXTS.activeKeys} value={usage && sayNumber(usage.activeKeys)} />
          <StatCard label={TEXTS.players} value={usage && sayNumber(usage.players)} />
          <StatCard label={TEXTS.teams} value={usage && sayNumber(usage.teams)} />
        </SimpleGrid>
        <TierTable tier={data?.tier ?? tier}>
          {data === undefined ? (
            <LinesSkeleton lines={2} />
          ) : (
            <BusiestKey orgId={orgId} busiest={data.usage.busiestKey} perDay={data.limits.perDay} />
          )}
        </TierTable>
        <SectionCard title={TEXTS.nameAndId}>
          <OrganizationName orgId={orgId} name={name} />
          <FactList
            facts={[
              { name: TEXTS.id, value: <OrganizationId orgId={orgId} /> },
              { name: TEXTS.created, value: data === undefined ? "…" : <ExactTime at={data.createdAt} as="day" /> },
            ]}
          />
        </SectionCard>
        {seesAllLinks && <MemberCalendarLinks orgId={orgId} />}
        <LeaveOrganization orgId={orgId} name={name} />
      </Stack>
    </>
  );
}

function OrganizationId({ orgId }: { readonly orgId: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text span inherit ff="monospace">
        {orgId}
      </Text>
      <CopyIconButton value={orgId} label={TEXTS.copyId} />
    </Group>
  );
}
