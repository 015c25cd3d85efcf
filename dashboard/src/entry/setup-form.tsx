/** Makes the first owner. SetupForm { token? }: a token that came with a link is not asked for. */
import { Button, Stack, TextInput } from "@mantine/core";
import { useEnter } from "../client/entering.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { FIELD_TEXTS, SETUP_TEXTS } from "../texts/entry-texts.ts";
import { requireEmail, requireName, requireNewPassword, requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";

export function SetupForm({ token }: { readonly token?: string }) {
  const enter = useEnter();
  const { form, onSubmit, isBusy, failure } = useActionForm("setUp", {
    initialValues: { token: token ?? "", organizationName: "", name: "", email: "", password: "" },
    validate: {
      token: requireText,
      organizationName: requireName,
      name: requireName,
      email: requireEmail,
      password: requireNewPassword,
    },
    toInput: (body) => ({ body }),
    onDone: ({ organizationId }) => enter(`/orgs/${organizationId}`),
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        {token === undefined && (
          <TextInput
            {...form.getInputProps("token")}
            label={SETUP_TEXTS.token}
            autoComplete="off"
            spellCheck={false}
            data-field="token"
          />
        )}
        <TextInput
          {...form.getInputProps("organizationName")}
          label={SETUP_TEXTS.organization}
          description={SETUP_TEXTS.organizationHint}
          autoComplete="organization"
          data-field="organizationName"
        />
        <TextInput
          {...form.getInputProps("name")}
          label={FIELD_TEXTS.name}
          description={FIELD_TEXTS.nameHint}
          autoComplete="name"
          data-field="name"
        />
        <TextInput
          {...form.getInputProps("email")}
          label={FIELD_TEXTS.email}
          type="email"
          autoComplete="username"
          data-field="email"
        />
        <PasswordField
          {...form.getInputProps("password")}
          kind="new"
          label={FIELD_TEXTS.password}
          data-field="password"
        />
        <FormError failure={failure} />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {SETUP_TEXTS.submit}
        </Button>
      </Stack>
    </form>
  );
}
