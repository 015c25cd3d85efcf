import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type SignedInPerson, usePerson } from "../client/session.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { PROFILE_TEXTS } from "../texts/account-texts.ts";
import { FIELD_TEXTS } from "../texts/entry-texts.ts";
import { requireEmail, requireName, requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { AccountFrame } from "./account-frame.tsx";

export function ProfilePage() {
  const person = usePerson();
  return (
    <AccountFrame title={PROFILE_TEXTS.title} lead={PROFILE_TEXTS.lead}>
      {person !== null && (
        <>
          <NameForm key={person.name} person={person} />
          <EmailForm key={person.email} person={person} />
        </>
      )}
    </AccountFrame>
  );
}

function NameForm({ person }: { readonly person: SignedInPerson }) {
  const { form, onSubmit, isBusy, failure } = useActionForm("updateProfile", {
    initialValues: { name: person.name },
    validate: { name: requireName },
    toInput: (body) => ({ body }),
    changes: ["getSession", "listMembers"],
    says: PROFILE_TEXTS.saved,
  });
  return (
    <SectionCard title={PROFILE_TEXTS.nameTitle}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md" maw={420}>
          <TextInput
            {...form.getInputProps("name")}
            label={FIELD_TEXTS.name}
            description={FIELD_TEXTS.nameHint}
            autoComplete="name"
            data-field="name"
          />
          <FormError failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy} disabled={!form.isDirty() || form.values.name.trim() === ""}>
              {PROFILE_TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}

function EmailForm({ person }: { readonly person: SignedInPerson }) {
  const { form, onSubmit, isBusy, failure } = useActionForm("updateProfile", {
    initialValues: { email: person.email, password: "" },
    validate: { email: requireEmail, password: (value) => (person.hasPassword ? requireText(value) : null) },
    toInput: ({ email, password }) => ({ body: person.hasPassword ? { email, password } : { email } }),
    changes: ["getSession", "listMembers"],
    says: PROFILE_TEXTS.saved,
  });
  return (
    <SectionCard title={PROFILE_TEXTS.emailTitle}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md" maw={420}>
          <TextInput
            {...form.getInputProps("email")}
            label={FIELD_TEXTS.email}
            description={person.hasPassword ? PROFILE_TEXTS.emailHint : PROFILE_TEXTS.emailHintPlain}
            type="email"
            autoComplete="username"
            data-field="email"
          />
          {person.hasPassword && form.isDirty("email") && (
            <PasswordField
              {...form.getInputProps("password")}
              kind="current"
              label={FIELD_TEXTS.currentPassword}
              data-field="password"
            />
          )}
          <FormError failure={failure} />
          <Group>
            <Button type="submit" loading={isBusy} disabled={!form.isDirty("email")}>
              {PROFILE_TEXTS.saveEmail}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
