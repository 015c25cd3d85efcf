import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fieldErrorsOf, type RequestFailure } from "../client/request-failure.ts";
import { useActionMutation } from "../client/use-action.ts";
import { MadeLink } from "../settings/made-link.tsx";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { requireEmail } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";

/** For anybody on this server who has forgotten their password. */
export function ResetLinkDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useForm({ initialValues: { email: "" }, validate: { email: requireEmail } });
  const make = useActionMutation("makeResetLinkAsOperator", { failure: "shown" });
  const email = form.values.email.trim();
  if (make.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.resetTitle} onClose={onClose}>
        <MadeLink made={make.data} email={email} onDone={onClose} />
      </PlainDialog>
    );
  }
  const submit = form.onSubmit(() => {
    const onError = (failure: RequestFailure) => form.setErrors(fieldErrorsOf(failure));
    make.mutate({ body: { email } }, { onError });
  });
  return (
    <PlainDialog isOpen title={TEXTS.resetTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.resetBody}</Text>
          <TextInput
            label={TEXTS.email}
            type="email"
            maxLength={200}
            required
            data-autofocus
            autoComplete="off"
            {...form.getInputProps("email")}
          />
          <FormError failure={make.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={make.isPending}>
              {TEXTS.resetSubmit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
