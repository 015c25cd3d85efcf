import { Button, Stack } from "@mantine/core";
import { useEnter } from "../client/entering.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { FIELD_TEXTS, LINK_TEXTS } from "../texts/entry-texts.ts";
import { requireNewPassword } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import type { LinkProps } from "./link-view.ts";

export function ResetLink({ token, link }: LinkProps) {
  const enter = useEnter();
  const { form, onSubmit, isBusy, failure } = useActionForm("resetPassword", {
    initialValues: { password: "" },
    validate: { password: requireNewPassword },
    toInput: ({ password }) => ({ body: { token, password } }),
    says: LINK_TEXTS.resetDone,
    onDone: () => enter("/sign-in"),
  });
  return (
    <EntryFrame
      title={LINK_TEXTS.resetTitle}
      lead={link.email === null ? LINK_TEXTS.resetPlain : LINK_TEXTS.resetLead(link.email)}
    >
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          {/* Lets password managers know whose password it is. */}
          <input type="hidden" autoComplete="username" value={link.email ?? ""} readOnly />
          <PasswordField
            {...form.getInputProps("password")}
            kind="new"
            label={FIELD_TEXTS.newPassword}
            data-field="password"
          />
          <FormError failure={failure} />
          <Button type="submit" size="md" fullWidth loading={isBusy}>
            {LINK_TEXTS.reset}
          </Button>
        </Stack>
      </form>
    </EntryFrame>
  );
}
