/**
 * Asks before something that cannot be taken back.
 *
 * ConfirmDialog { isOpen, title, children, confirmLabel, onConfirm, onClose, isBusy?, failure?, tone?, typedName? }
 *   typedName  when given, the button stays closed until this is typed
 *   failure    the mutation's error, shown inside
 *   tone       "bad" (red button) unless "info"
 */
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { TONE_COLORS } from "../theme.ts";
import { FormError } from "./form-error.tsx";
import { PlainDialog } from "./plain-dialog.tsx";

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  readonly failure?: RequestFailure | null;
  readonly tone?: "bad" | "info";
  readonly typedName?: string;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <PlainDialog isOpen={props.isOpen} onClose={props.onClose} title={props.title}>
      <ConfirmForm {...props} />
    </PlainDialog>
  );
}

function ConfirmForm(props: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const isMeant = props.typedName === undefined || typed === props.typedName;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isMeant && props.isBusy !== true) props.onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <div>{props.children}</div>
        {props.typedName !== undefined && (
          <TextInput
            label={COMMON_TEXTS.typeName(props.typedName)}
            description={COMMON_TEXTS.typeNameHint(props.confirmLabel)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <FormError failure={props.failure ?? null} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose}>
            {COMMON_TEXTS.cancel}
          </Button>
          <Button
            type="submit"
            color={TONE_COLORS[props.tone ?? "bad"]}
            disabled={!isMeant}
            loading={props.isBusy ?? false}
          >
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
