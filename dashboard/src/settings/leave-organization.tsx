import { Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useActionMutation } from "../client/use-action.ts";
import { ORGANIZATION_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { SectionCard } from "../ui/section-card.tsx";

export interface LeaveOrganizationProps {
  readonly orgId: string;
  readonly name: string;
}

export function LeaveOrganization({ orgId, name }: LeaveOrganizationProps) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const leave = useActionMutation("leaveOrganization", {
    failure: "shown",
    changes: ["getSession"],
    says: TEXTS.left(name),
    onDone: () => navigate({ to: "/" }),
  });
  const close = () => {
    setOpen(false);
    leave.reset();
  };
  return (
    <SectionCard title={TEXTS.leave} lead={TEXTS.leaveBody}>
      <Button variant="light" color="red" onClick={() => setOpen(true)}>
        {TEXTS.leave}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={TEXTS.leaveTitle(name)}
        confirmLabel={TEXTS.leave}
        onConfirm={() => leave.mutate({ path: { orgId } })}
        onClose={close}
        isBusy={leave.isPending}
        failure={leave.error}
      >
        <Text size="sm">{TEXTS.leaveBody}</Text>
      </ConfirmDialog>
    </SectionCard>
  );
}
