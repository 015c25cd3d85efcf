/** Schedule › Subscribe: makes a calendar link, shows it once, and lists one's own. */
import { Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { CALENDAR_TEXTS as TEXTS } from "../texts/calendar-texts.ts";
import { LoadFault } from "../ui/load-fault.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { CalendarLinkForm } from "./calendar-link-form.tsx";
import { CalendarLinkTable } from "./calendar-link-table.tsx";
import { MadeCalendarLink } from "./made-calendar-link.tsx";

export function SubscribeDialog({ onClose }: { readonly onClose: () => void }) {
  const { id: orgId } = useOrganization();
  const [link, setLink] = useState<string | null>(null);
  const own = useAction("listCalendarLinks", { path: { orgId } }, { staleTime: 0 });
  if (link !== null) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.made} onClose={onClose} size="lg">
        <MadeCalendarLink link={link} onDone={onClose} />
      </PlainDialog>
    );
  }
  return (
    <PlainDialog isOpen title={TEXTS.title} onClose={onClose} size="xl">
      <Stack gap="lg">
        <CalendarLinkForm onMade={setLink} onClose={onClose} />
        <section>
          <Title order={3} mb="xs">
            {TEXTS.own}
          </Title>
          {own.data === undefined && own.error !== null ? (
            <LoadFault failure={own.error} onRetry={own.refetch} />
          ) : (
            <CalendarLinkTable
              label={TEXTS.own}
              links={own.data?.links}
              takeBack="takeBackCalendarLink"
              empty={
                <Text size="sm" c="dimmed">
                  {TEXTS.noneOwn}
                </Text>
              }
            />
          )}
        </section>
      </Stack>
    </PlainDialog>
  );
}
