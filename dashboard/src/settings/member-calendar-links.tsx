import { Text } from "@mantine/core";
import { useAction } from "../client/use-action.ts";
import { CalendarLinkTable } from "../schedule/calendar-link-table.tsx";
import { CALENDAR_TEXTS as TEXTS } from "../texts/calendar-texts.ts";
import { LoadFault } from "../ui/load-fault.tsx";
import { SectionCard } from "../ui/section-card.tsx";

/** For owners: the calendar links of all members. */
export function MemberCalendarLinks({ orgId }: { readonly orgId: string }) {
  const links = useAction("listMemberCalendarLinks", { path: { orgId } }, { staleTime: 0 });
  return (
    <SectionCard title={TEXTS.all} lead={TEXTS.allLead}>
      {links.data === undefined && links.error !== null ? (
        <LoadFault failure={links.error} onRetry={links.refetch} />
      ) : (
        <CalendarLinkTable
          label={TEXTS.all}
          links={links.data?.links}
          takeBack="takeBackMemberCalendarLink"
          empty={<Text c="dimmed">{TEXTS.noneAtAll}</Text>}
        />
      )}
    </SectionCard>
  );
}
