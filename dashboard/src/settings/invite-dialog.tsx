import type { Role } from "@lineup/api/dashboard/members";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fieldErrorsOf, type RequestFailure } from "../client/request-failure.ts";
import { useActionMutation } from "../client/use-action.ts";
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
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: "", role: "viewer" },
    validate: { email: requireEmail },
  });
  const invite = useActionMutation("invite", { failure: "shown", changes: ["listMembers"] });
  const { email, role } = form.values;
  if (invite.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.invited} onClose={onClose}>
        <MadeLink made={invite.data} email={email.trim()} onDone={onClose} />
      </PlainDialog>
    );
  }
  const submit = form.onSubmit(() => {
    const onError = (failure: RequestFailure) => form.setErrors(fieldErrorsOf(failure));
    invite.mutate({ path: { orgId }, body: { email: email.trim(), role } }, { onError });
  });
  return (
    <PlainDialog isOpen title={TEXTS.inviteTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.inviteBody}</Text>
          <TextInput
            label={TEXTS.email}
            type="email"
            autoComplete="off"
            maxLength={200}
            required
            data-autofocus
            {...form.getInputProps("email")}
          />
          <RoleFields value={role} onChange={(chosen) => form.setFieldValue("role", chosen)} />
          <FormError failure={invite.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={invite.isPending}>
              {TEXTS.inviteSubmit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
