import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useActionForm } from "../client/use-action-form.ts";
import { MadeLink } from "../settings/made-link.tsx";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { requireEmail } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";

/** For anybody on this server who has forgotten their password. */
export function ResetLinkDialog({ onClose }: { readonly onClose: () => void }) {
  const { form, onSubmit, isBusy, failure, mutation } = useActionForm("makeResetLinkAsOperator", {
    initialValues: { email: "" },
    validate: { email: requireEmail },
    toInput: ({ email }) => ({ body: { email: email.trim() } }),
  });
  if (mutation.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.resetTitle} onClose={onClose}>
        <MadeLink made={mutation.data} email={form.values.email.trim()} onDone={onClose} />
      </PlainDialog>
    );
  }
  return (
    <PlainDialog isOpen title={TEXTS.resetTitle} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.resetBody}</Text>
          <TextInput
            label={TEXTS.email}
            type="email"
            maxLength={200}
            required
            data-autofocus
            data-field="email"
            autoComplete="off"
            {...form.getInputProps("email")}
          />
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {TEXTS.resetSubmit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
