/** Settings › Members: who belongs to the organization, who was invited, and what each role may do. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Stack, Text, Title } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { live } from "../client/live.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { MEMBERS_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { makeMemberColumns } from "./member-columns.tsx";
import { type MemberAction, MemberDialogs } from "./member-dialogs.tsx";
import { RoleMatrix } from "./role-matrix.tsx";

const LIVE_MS = 15_000;

export type Member = ActionResult<"listMembers">["members"][number];

export function MembersPage() {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("members:manage");
  const [isInviting, setInviting] = useState(false);
  const members = useAction("listMembers", { path: { orgId } }, live(LIVE_MS));
  const invite = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      {TEXTS.invite}
    </Button>
  );
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={mayManage ? invite : undefined} />
      {members.data === undefined && members.error !== null ? (
        <LoadFault failure={members.error} onRetry={members.refetch} />
      ) : (
        <Stack gap="xl">
          <MemberList orgId={orgId} members={members.data?.members} mayManage={mayManage} />
          <section>
            <Title order={2} mb="xs">
              {TEXTS.invitations}
            </Title>
            <InvitationList orgId={orgId} invitations={members.data?.invitations} mayManage={mayManage} />
          </section>
          <section>
            <Title order={2} mb={4}>
              {TEXTS.roles}
            </Title>
            <Text size="sm" c="dimmed" mb="xs">
              {TEXTS.rolesLead}
            </Text>
            <RoleMatrix />
          </section>
        </Stack>
      )}
      {isInviting && <InviteDialog orgId={orgId} onClose={() => setInviting(false)} />}
    </>
  );
}

interface MemberListProps {
  readonly orgId: string;
  readonly members: readonly Member[] | undefined;
  readonly mayManage: boolean;
}

function MemberList({ orgId, members, mayManage }: MemberListProps) {
  const [action, setAction] = useState<MemberAction | null>(null);
  return (
    <>
      <DataTable
        label={TEXTS.caption}
        columns={makeMemberColumns(mayManage ? setAction : undefined)}
        rows={members}
        rowKey={(member) => member.userId}
        skeletonRows={3}
      />
      {action !== null && <MemberDialogs orgId={orgId} action={action} onClose={() => setAction(null)} />}
    </>
  );
}
