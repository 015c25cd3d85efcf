/** The end of a form in a dialog. FormButtons { submit, isBusy, onClose, tone?, children? }; children stand at the left. */
import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { TONE_COLORS, type Tone } from "../theme.ts";

export interface FormButtonsProps {
  readonly submit: string;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly tone?: Tone;
  readonly children?: ReactNode;
}

export function FormButtons({ submit, isBusy, onClose, tone = "info", children }: FormButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      {children}
      <Button variant="default" onClick={onClose}>
        {COMMON_TEXTS.cancel}
      </Button>
      <Button type="submit" color={TONE_COLORS[tone]} loading={isBusy}>
        {submit}
      </Button>
    </Group>
  );
}
