/** Calendar links, one's own or those of all members, and taking them back. */
import type { CalendarLinkView, MemberCalendarLink } from "@lineup/api/dashboard/calendar-links";
import { Button, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useOrganization } from "../client/session.ts";
import { useActionMutation } from "../client/use-action.ts";
import { CALENDAR_KINDS, CALENDAR_TEXTS as TEXTS } from "../texts/calendar-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";

type Link = CalendarLinkView & Partial<Pick<MemberCalendarLink, "memberName">>;

export interface CalendarLinkTableProps {
  readonly label: string;
  readonly links: readonly Link[] | undefined;
  /** What takes one of them back: a member their own, an owner anybody's. */
  readonly takeBack: "takeBackCalendarLink" | "takeBackMemberCalendarLink";
  readonly empty: ReactNode;
}

export function CalendarLinkTable({ label, links, takeBack, empty }: CalendarLinkTableProps) {
  const [chosen, setChosen] = useState<Link | null>(null);
  const isOfAll = takeBack === "takeBackMemberCalendarLink";
  return (
    <>
      <DataTable
        label={label}
        columns={makeColumns(isOfAll, setChosen)}
        rows={links}
        rowKey={({ id }) => id}
        skeletonRows={1}
        empty={empty}
      />
      {chosen !== null && <TakeBackDialog link={chosen} action={takeBack} onClose={() => setChosen(null)} />}
    </>
  );
}

function makeColumns(isOfAll: boolean, onTakeBack: (link: Link) => void): readonly Column<Link>[] {
  const { columns } = TEXTS;
  const member: Column<Link> = {
    key: "member",
    header: columns.member,
    isTyped: true,
    cell: ({ memberName }) => memberName,
  };
  return [
    { key: "name", header: columns.name, isHeading: true, isTyped: true, cell: ({ name }) => name },
    ...(isOfAll ? [member] : []),
    { key: "shows", header: columns.shows, isTyped: true, cell: describe },
    { key: "used", header: columns.used, cell: ({ lastUsedAt }) => <ExactTime at={lastUsedAt} /> },
    {
      key: "actions",
      header: columns.actions,
      hideHeader: true,
      align: "right",
      cell: (link) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={TEXTS.takeBackOf(link.name)}
          onClick={() => onTakeBack(link)}
        >
          {TEXTS.takeBack}
        </Button>
      ),
    },
  ];
}

function describe({ teamName, kinds, contractEnds }: Link): string {
  const shown = [...kinds.map((kind) => CALENDAR_KINDS[kind]), ...(contractEnds ? [TEXTS.contractEnds] : [])];
  return `${teamName ?? TEXTS.everyTeam}: ${shown.map((words) => words.toLowerCase()).join(", ")}`;
}

interface TakeBackDialogProps {
  readonly link: Link;
  readonly action: CalendarLinkTableProps["takeBack"];
  readonly onClose: () => void;
}

function TakeBackDialog({ link, action, onClose }: TakeBackDialogProps) {
  const { id: orgId } = useOrganization();
  const takeBack = useActionMutation(action, {
    failure: "shown",
    changes: ["listCalendarLinks", "listMemberCalendarLinks"],
    says: TEXTS.takenBack,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.takeBackTitle(link.name)}
      confirmLabel={TEXTS.takeBack}
      onConfirm={() => takeBack.mutate({ path: { orgId, calendarId: link.id } })}
      onClose={onClose}
      isBusy={takeBack.isPending}
      failure={takeBack.error}
    >
      <Text size="sm">{TEXTS.takeBackBody}</Text>
    </ConfirmDialog>
  );
}
