/** New recovery codes, and giving the second factor up. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { SECOND_FACTOR_TEXTS } from "../texts/account-texts.ts";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { PasswordStep } from "./password-step.tsx";
import { RecoveryCodeList } from "./recovery-code-list.tsx";
import type { SecondFactorDialogProps } from "./second-factor-setup.tsx";

export function RenewRecoveryCodes({ isOpen, onClose, email }: SecondFactorDialogProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => {
    setCodes(null);
    onClose();
  };
  return (
    <PlainDialog isOpen={isOpen} title={SECOND_FACTOR_TEXTS.renewTitle} onClose={close} isFirm={codes !== null}>
      {codes === null ? (
        <PasswordStep
          action="renewRecoveryCodes"
          lead={SECOND_FACTOR_TEXTS.renewLead}
          submit={SECOND_FACTOR_TEXTS.renewSubmit}
          email={email}
          onCancel={close}
          onDone={({ recoveryCodes }) => setCodes(recoveryCodes)}
        />
      ) : (
        <Stack gap="md">
          <Text role="status">{SECOND_FACTOR_TEXTS.renewed}</Text>
          <RecoveryCodeList codes={codes} email={email} />
          <Group justify="flex-end">
            <Button onClick={close}>{SECOND_FACTOR_TEXTS.done}</Button>
          </Group>
        </Stack>
      )}
    </PlainDialog>
  );
}

export function EndSecondFactor({ isOpen, onClose, email }: SecondFactorDialogProps) {
  return (
    <PlainDialog isOpen={isOpen} title={SECOND_FACTOR_TEXTS.endTitle} onClose={onClose}>
      <PasswordStep
        action="endSecondFactor"
        lead={SECOND_FACTOR_TEXTS.endLead}
        submit={SECOND_FACTOR_TEXTS.endSubmit}
        color="red"
        email={email}
        says={SECOND_FACTOR_TEXTS.ended}
        onCancel={onClose}
        onDone={onClose}
      />
    </PlainDialog>
  );
}
