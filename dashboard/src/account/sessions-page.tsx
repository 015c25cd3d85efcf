import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Group, Stack } from "@mantine/core";
import { IconDeviceLaptop } from "@tabler/icons-react";
import { useState } from "react";
import { leave } from "../client/entering.ts";
import { useAction, useActionMutation } from "../client/use-action.ts";
import { SESSIONS_TEXTS } from "../texts/account-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { AccountFrame } from "./account-frame.tsx";
import { sayDevice } from "./device-words.ts";

type SessionRow = ActionResult<"listSessions">["sessions"][number];

const COLUMNS: readonly Column<SessionRow>[] = [
  {
    key: "device",
    header: SESSIONS_TEXTS.device,
    isHeading: true,
    cell: (row) => (
      <Group gap="xs">
        {sayDevice(row.userAgent)}
        {row.isThisOne && (
          <StatusBadge
            icon={IconDeviceLaptop}
            word={SESSIONS_TEXTS.thisOne}
            tone="info"
            tip={SESSIONS_TEXTS.thisOneTip}
          />
        )}
      </Group>
    ),
  },
  { key: "address", header: SESSIONS_TEXTS.address, cell: (row) => row.address ?? SESSIONS_TEXTS.unknown },
  { key: "seen", header: SESSIONS_TEXTS.lastSeen, cell: (row) => <ExactTime at={row.lastSeenAt} /> },
  { key: "since", header: SESSIONS_TEXTS.since, cell: (row) => <ExactTime at={row.createdAt} as="day-time" /> },
  { key: "ends", header: SESSIONS_TEXTS.ends, cell: (row) => <ExactTime at={row.expiresAt} /> },
  {
    key: "action",
    header: SESSIONS_TEXTS.action,
    hideHeader: true,
    align: "right",
    cell: (row) => !row.isThisOne && <EndButton row={row} />,
  },
];

export function SessionsPage() {
  const { data, error, refetch } = useAction("listSessions", {});
  return (
    <AccountFrame title={SESSIONS_TEXTS.title} lead={SESSIONS_TEXTS.lead}>
      <Stack gap="md" align="stretch">
        {error !== null && data === undefined ? (
          <LoadFault failure={error} onRetry={refetch} />
        ) : (
          <DataTable
            label={SESSIONS_TEXTS.table}
            columns={COLUMNS}
            rows={data?.sessions}
            rowKey={(row) => row.id}
            skeletonRows={2}
          />
        )}
        <EndAll />
      </Stack>
    </AccountFrame>
  );
}

function EndButton({ row }: { readonly row: SessionRow }) {
  const end = useActionMutation("endSession", { changes: ["listSessions"], says: SESSIONS_TEXTS.ended });
  return (
    <Button
      variant="default"
      size="xs"
      loading={end.isPending}
      aria-label={SESSIONS_TEXTS.endLabel(sayDevice(row.userAgent))}
      onClick={() => end.mutate({ path: { sessionId: row.id } })}
    >
      {SESSIONS_TEXTS.end}
    </Button>
  );
}

function EndAll() {
  const [isOpen, setOpen] = useState(false);
  const endAll = useActionMutation("endAllSessions", { failure: "shown", onDone: leave });
  return (
    <Group>
      <Button variant="outline" color="red" onClick={() => setOpen(true)}>
        {SESSIONS_TEXTS.all}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={SESSIONS_TEXTS.allTitle}
        confirmLabel={SESSIONS_TEXTS.all}
        onConfirm={() => endAll.mutate({})}
        onClose={() => setOpen(false)}
        isBusy={endAll.isPending}
        failure={endAll.error}
      >
        {SESSIONS_TEXTS.allBody}
      </ConfirmDialog>
    </Group>
  );
}
