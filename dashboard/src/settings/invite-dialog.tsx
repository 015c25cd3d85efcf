import type { Role } from "@lineup/api/dashboard/members";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useActionForm } from "../client/use-action-form.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { MEMBERS_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { requireEmail } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { MadeLink } from "./made-link.tsx";
import { RoleFields } from "./role-fields.tsx";

export interface InviteDialogProps {
  readonly orgId: string;
  readonly onClose: () => void;
}

/** Email address and role; then the link, this once. */
export function InviteDialog({ orgId, onClose }: InviteDialogProps) {
  const { form, onSubmit, isBusy, failure, mutation } = useActionForm("invite", {
    initialValues: { email: "", role: "viewer" as Role },
    validate: { email: requireEmail },
    toInput: ({ email, role }) => ({ path: { orgId }, body: { email: email.trim(), role } }),
    changes: ["listMembers"],
  });
  const { email, role } = form.values;
  if (mutation.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.invited} onClose={onClose}>
        <MadeLink made={mutation.data} email={email.trim()} onDone={onClose} />
      </PlainDialog>
    );
  }
  return (
    <PlainDialog isOpen title={TEXTS.inviteTitle} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.inviteBody}</Text>
          <TextInput
            label={TEXTS.email}
            type="email"
            autoComplete="off"
            maxLength={200}
            required
            data-autofocus
            data-field="email"
            {...form.getInputProps("email")}
          />
          <RoleFields value={role} onChange={(chosen) => form.setFieldValue("role", chosen)} />
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {TEXTS.inviteSubmit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
