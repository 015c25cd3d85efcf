import { Button, Code, List, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSession } from "../client/session.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { FIELD_TEXTS, FORGOT_TEXTS } from "../texts/entry-texts.ts";
import { requireEmail } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { TextLink } from "../ui/links.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { EntryFrame } from "./entry-frame.tsx";

export function ForgotPage() {
  const sendsMail = useSession()?.sendsMail;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const footer = <TextLink to="/sign-in">{FORGOT_TEXTS.back}</TextLink>;
  if (sentTo !== null) {
    return (
      <EntryFrame title={FORGOT_TEXTS.sentTitle} footer={footer}>
        <Text role="status">{FORGOT_TEXTS.sentLead(sentTo)}</Text>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame
      title={FORGOT_TEXTS.title}
      lead={sendsMail === true ? FORGOT_TEXTS.mailLead : FORGOT_TEXTS.noMailLead}
      footer={footer}
    >
      {sendsMail === undefined && <LinesSkeleton lines={3} />}
      {sendsMail === true && <AskForm onSent={setSentTo} />}
      {sendsMail === false && (
        <List spacing="sm">
          <List.Item>{FORGOT_TEXTS.owner}</List.Item>
          <List.Item>
            {FORGOT_TEXTS.operator} <Code>{FORGOT_TEXTS.command}</Code>
          </List.Item>
        </List>
      )}
    </EntryFrame>
  );
}

function AskForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const { form, onSubmit, isBusy, failure } = useActionForm("requestPasswordReset", {
    initialValues: { email: "" },
    validate: { email: requireEmail },
    toInput: (body) => ({ body }),
    onDone: (_, { body }) => onSent(body.email),
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <TextInput
          {...form.getInputProps("email")}
          label={FIELD_TEXTS.email}
          type="email"
          autoComplete="username"
          data-field="email"
        />
        <FormError failure={failure} />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {FORGOT_TEXTS.send}
        </Button>
      </Stack>
    </form>
  );
}
