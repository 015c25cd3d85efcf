/** Turning the second factor on: password, then app and recovery codes, then the first code of the app. */

import type { ActionResult } from "@lineup/api/dashboard/actions";
import { Button, Checkbox, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useActionForm } from "../client/use-action-form.ts";
import { SECOND_FACTOR_TEXTS } from "../texts/account-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";
import { requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { PasswordStep } from "./password-step.tsx";
import { QrCode } from "./qr-code.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";

export interface SecondFactorDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly email: string;
}

type Begun = ActionResult<"beginSecondFactor">;

export function SecondFactorSetup({ isOpen, onClose, email }: SecondFactorDialogProps) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const close = () => {
    setBegun(null);
    onClose();
  };
  return (
    <PlainDialog
      isOpen={isOpen}
      title={SECOND_FACTOR_TEXTS.beginTitle}
      onClose={close}
      size={begun === null ? "md" : "lg"}
      isFirm={begun !== null}
    >
      {begun === null ? (
        <PasswordStep
          action="beginSecondFactor"
          lead={SECOND_FACTOR_TEXTS.passwordLead}
          submit={SECOND_FACTOR_TEXTS.next}
          email={email}
          onCancel={close}
          onDone={setBegun}
        />
      ) : (
        <ConfirmStep begun={begun} email={email} onClose={close} />
      )}
    </PlainDialog>
  );
}

interface ConfirmStepProps {
  readonly begun: Begun;
  readonly email: string;
  readonly onClose: () => void;
}

function ConfirmStep({ begun, email, onClose }: ConfirmStepProps) {
  const { form, onSubmit, isBusy, failure } = useActionForm("confirmSecondFactor", {
    initialValues: { code: "", kept: false },
    validate: { code: requireText, kept: (kept) => (kept ? null : SECOND_FACTOR_TEXTS.keptMissing) },
    toInput: ({ code }) => ({ body: { code } }),
    changes: ["getSession", "listMembers"],
    says: SECOND_FACTOR_TEXTS.confirmed,
    onDone: onClose,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="lg">
        <section>
          <Title order={3}>{SECOND_FACTOR_TEXTS.scanTitle}</Title>
          <Text size="sm" mb="sm">
            {SECOND_FACTOR_TEXTS.scanLead}
          </Text>
          <QrCode text={begun.uri} label={SECOND_FACTOR_TEXTS.qrLabel} />
          <CopyField value={begun.secret} label={SECOND_FACTOR_TEXTS.secret} wraps />
        </section>
        <section>
          <Title order={3}>{SECOND_FACTOR_TEXTS.codesTitle}</Title>
          <Text size="sm" mb="sm">
            {SECOND_FACTOR_TEXTS.codesLead}
          </Text>
          <RecoveryCodeList codes={begun.recoveryCodes} email={email} />
          <Checkbox
            {...form.getInputProps("kept", { type: "checkbox" })}
            mt="sm"
            label={SECOND_FACTOR_TEXTS.keptCodes}
            data-field="kept"
          />
        </section>
        <section>
          <Title order={3} mb="xs">
            {SECOND_FACTOR_TEXTS.confirmTitle}
          </Title>
          <TextInput
            {...form.getInputProps("code")}
            label={SECOND_FACTOR_TEXTS.code}
            inputMode="numeric"
            autoComplete="one-time-code"
            maw={240}
            data-field="code"
          />
        </section>
        <FormError failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {COMMON_TEXTS.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {SECOND_FACTOR_TEXTS.confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
