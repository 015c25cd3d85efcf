import { Button, Group, Stack } from "@mantine/core";
import type { SignedInPerson } from "../client/session.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { PASSWORD_TEXTS } from "../texts/account-texts.ts";
import { FIELD_TEXTS } from "../texts/entry-texts.ts";
import { requireNewPassword, requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { SectionCard } from "../ui/section-card.tsx";

export function PasswordSection({ person }: { readonly person: SignedInPerson }) {
  const { hasPassword } = person;
  const { form, onSubmit, isBusy, failure } = useActionForm("changePassword", {
    initialValues: { current: "", password: "" },
    validate: { current: (value) => (hasPassword ? requireText(value) : null), password: requireNewPassword },
    toInput: ({ current, password }) => ({ body: hasPassword ? { current, password } : { password } }),
    changes: ["getSession", "listSessions"],
    says: hasPassword ? PASSWORD_TEXTS.done : PASSWORD_TEXTS.doneFirst,
    onDone: (): void => form.reset(),
  });
  return (
    <SectionCard title={PASSWORD_TEXTS.title} lead={hasPassword ? PASSWORD_TEXTS.lead : PASSWORD_TEXTS.noneLead}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md" maw={420}>
          <input type="hidden" autoComplete="username" value={person.email} readOnly />
          {hasPassword && (
            <PasswordField
              {...form.getInputProps("current")}
              kind="current"
              label={FIELD_TEXTS.currentPassword}
              data-field="current"
            />
          )}
          <PasswordField
            {...form.getInputProps("password")}
            kind="new"
            label={FIELD_TEXTS.newPassword}
            data-field="password"
          />
          <FormError failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy}>
              {hasPassword ? PASSWORD_TEXTS.submit : PASSWORD_TEXTS.submitFirst}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
