import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { useActionMutation } from "../client/use-action.ts";
import { ROLE_NAMES } from "../texts/frame-texts.ts";
import { MEMBERS_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";

type Invitation = ActionResult<"listMembers">["invitations"][number];

export interface InvitationListProps {
  readonly orgId: string;
  readonly invitations: readonly Invitation[] | undefined;
  readonly mayManage: boolean;
}

/** Invitations that nobody has taken up yet. */
export function InvitationList({ orgId, invitations, mayManage }: InvitationListProps) {
  const [chosen, setChosen] = useState<Invitation | null>(null);
  return (
    <>
      <DataTable
        label={TEXTS.invitationsCaption}
        columns={makeColumns(mayManage ? setChosen : undefined)}
        rows={invitations}
        rowKey={({ id }) => id}
        skeletonRows={1}
        empty={<Text c="dimmed">{TEXTS.noInvitations}</Text>}
      />
      {chosen !== null && <WithdrawDialog orgId={orgId} invitation={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function makeColumns(onWithdraw: ((invitation: Invitation) => void) | undefined): readonly Column<Invitation>[] {
  const { invitationColumns } = TEXTS;
  const shown: Column<Invitation>[] = [
    { key: "email", header: invitationColumns.email, isHeading: true, cell: ({ email }) => email },
    { key: "role", header: invitationColumns.role, cell: ({ role }) => ROLE_NAMES[role] },
    { key: "by", header: invitationColumns.by, cell: ({ invitedBy }) => invitedBy },
    { key: "expires", header: invitationColumns.expires, cell: ({ expiresAt }) => <ExactTime at={expiresAt} /> },
  ];
  if (onWithdraw === undefined) return shown;
  const actions: Column<Invitation> = {
    key: "actions",
    header: invitationColumns.actions,
    hideHeader: true,
    align: "right",
    cell: (invitation) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={TEXTS.withdrawOf(invitation.email)}
        onClick={() => onWithdraw(invitation)}
      >
        {TEXTS.withdraw}
      </Button>
    ),
  };
  return [...shown, actions];
}

interface WithdrawDialogProps {
  readonly orgId: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

function WithdrawDialog({ orgId, invitation, onClose }: WithdrawDialogProps) {
  const withdraw = useActionMutation("withdrawInvitation", {
    failure: "shown",
    changes: ["listMembers"],
    says: TEXTS.withdrawn,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.withdrawTitle}
      confirmLabel={TEXTS.withdraw}
      onConfirm={() => withdraw.mutate({ path: { orgId, linkId: invitation.id } })}
      onClose={onClose}
      isBusy={withdraw.isPending}
      failure={withdraw.error}
    >
      <Text size="sm">{TEXTS.withdrawBody(invitation.email)}</Text>
    </ConfirmDialog>
  );
}
