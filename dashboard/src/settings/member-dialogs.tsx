/** What an owner does with a member: another role, a link for a new password, removal. */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Text } from "@mantine/core";
import { useState } from "react";
import { useActionMutation } from "../client/use-action.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { MEMBERS_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { MadeLink } from "./made-link.tsx";
import { RoleFields } from "./role-fields.tsx";

type Member = ActionResult<"listMembers">["members"][number];

export interface MemberAction {
  readonly kind: "role" | "reset" | "remove";
  readonly member: Member;
}

export interface MemberDialogsProps {
  readonly orgId: string;
  readonly action: MemberAction;
  readonly onClose: () => void;
}

interface OneDialogProps {
  readonly orgId: string;
  readonly member: Member;
  readonly onClose: () => void;
}

export function MemberDialogs({ orgId, action, onClose }: MemberDialogsProps) {
  const props = { orgId, member: action.member, onClose };
  if (action.kind === "role") return <RoleDialog {...props} />;
  return action.kind === "reset" ? <ResetDialog {...props} /> : <RemoveDialog {...props} />;
}

function RoleDialog({ orgId, member, onClose }: OneDialogProps) {
  const [role, setRole] = useState(member.role);
  const change = useActionMutation("changeRole", {
    failure: "shown",
    changes: ["listMembers", "getSession"],
    says: TEXTS.roleChanged,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.changeRoleTitle(member.name)}
      confirmLabel={COMMON_TEXTS.save}
      tone="info"
      onConfirm={() => change.mutate({ path: { orgId, userId: member.userId }, body: { role } })}
      onClose={onClose}
      isBusy={change.isPending}
      failure={change.error}
    >
      <RoleFields value={role} onChange={setRole} />
    </ConfirmDialog>
  );
}

function RemoveDialog({ orgId, member, onClose }: OneDialogProps) {
  const remove = useActionMutation("removeMember", {
    failure: "shown",
    changes: ["listMembers"],
    says: TEXTS.removed,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.removeTitle(member.name)}
      confirmLabel={TEXTS.remove}
      onConfirm={() => remove.mutate({ path: { orgId, userId: member.userId } })}
      onClose={onClose}
      isBusy={remove.isPending}
      failure={remove.error}
    >
      <Text size="sm">{TEXTS.removeBody}</Text>
    </ConfirmDialog>
  );
}

function ResetDialog({ orgId, member, onClose }: OneDialogProps) {
  const make = useActionMutation("makeResetLink", { failure: "shown" });
  if (make.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.resetTitle(member.name)} onClose={onClose}>
        <MadeLink made={make.data} email={member.email} onDone={onClose} />
      </PlainDialog>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.resetTitle(member.name)}
      confirmLabel={TEXTS.resetSubmit}
      tone="info"
      onConfirm={() => make.mutate({ path: { orgId, userId: member.userId } })}
      onClose={onClose}
      isBusy={make.isPending}
      failure={make.error}
    >
      <Text size="sm">{TEXTS.resetBody}</Text>
    </ConfirmDialog>
  );
}
