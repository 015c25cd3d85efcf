/** Asks for the password before a change to the second factor. PasswordStep { action, lead, submit, email, onCancel, onDone, color? } */

import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { ActionInput } from "../client/call-action.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { FIELD_TEXTS } from "../texts/entry-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";

type PasswordAction = "beginSecondFactor" | "renewRecoveryCodes" | "endSecondFactor";

export interface PasswordStepProps<N extends PasswordAction> {
  readonly action: N;
  readonly lead: string;
  readonly submit: string;
  readonly email: string;
  readonly color?: string;
  readonly says?: string;
  readonly onCancel: () => void;
  readonly onDone: (result: ActionResult<N>) => void;
}

export function PasswordStep<N extends PasswordAction>(props: PasswordStepProps<N>) {
  const { form, onSubmit, isBusy, failure } = useActionForm<N, { password: string }>(props.action, {
    initialValues: { password: "" },
    validate: { password: requireText },
    toInput: (body) => ({ body }) as ActionInput<N>,
    changes: ["getSession", "listMembers"],
    onDone: props.onDone,
    ...(props.says === undefined ? {} : { says: props.says }),
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text>{props.lead}</Text>
        <input type="hidden" autoComplete="username" value={props.email} readOnly />
        <PasswordField
          {...form.getInputProps("password")}
          kind="current"
          label={FIELD_TEXTS.currentPassword}
          data-field="password"
          data-autofocus
        />
        <FormError failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onCancel}>
            {COMMON_TEXTS.cancel}
          </Button>
          <Button type="submit" loading={isBusy} {...(props.color === undefined ? {} : { color: props.color })}>
            {props.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
