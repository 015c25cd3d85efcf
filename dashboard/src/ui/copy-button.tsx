/**
 * CopyIconButton { value, label?, size? }  a small icon; says "Copied" aloud and in its tooltip.
 * CopyButton { value, label?, variant? }   a button with words.
 * CopyField { value, label, wraps?, hideLabel? }       a text in a box, in monospace, with its button; all of it is selected by a click.
 * All copy `value`; `label` names what is copied where "Copy" alone would be unclear.
 */
import { ActionIcon, Button, type ButtonProps, Group, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useEffect, useId, useState } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import classes from "./copy-button.module.css";
import { copyText } from "./copy-text.ts";

const SHOWN_MS = 2_000;

function useCopied(value: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return {
    copied,
    copy: () => {
      void copyText(value).then(setCopied);
    },
  };
}

function CopiedAloud({ copied }: { readonly copied: boolean }) {
  return (
    <VisuallyHidden role="status" component="span">
      {copied ? COMMON_TEXTS.copied : ""}
    </VisuallyHidden>
  );
}

export interface CopyProps {
  readonly value: string;
  readonly label?: string;
}

export function CopyIconButton({
  value,
  label = COMMON_TEXTS.copy,
  size = 24,
}: CopyProps & { readonly size?: number }) {
  const { copied, copy } = useCopied(value);
  return (
    <>
      <Tooltip label={copied ? COMMON_TEXTS.copied : label}>
        <ActionIcon variant="subtle" color="gray" size={size} aria-label={label} onClick={copy}>
          {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
        </ActionIcon>
      </Tooltip>
      <CopiedAloud copied={copied} />
    </>
  );
}

export function CopyButton({ value, label = COMMON_TEXTS.copy, ...button }: CopyProps & Omit<ButtonProps, "children">) {
  const { copied, copy } = useCopied(value);
  const icon = copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  return (
    <>
      <Button variant="default" leftSection={icon} {...button} onClick={copy}>
        {copied ? COMMON_TEXTS.copied : label}
      </Button>
      <CopiedAloud copied={copied} />
    </>
  );
}

export interface CopyFieldProps {
  readonly value: string;
  /** Says what the text is; shown above it. */
  readonly label: string;
  /** Where the words before it say already what it is: the label is for screen readers only. */
  readonly hideLabel?: boolean;
  /** Long texts go over several lines; without it they scroll. */
  readonly wraps?: boolean;
}

export function CopyField({ value, label, hideLabel = false, wraps = false }: CopyFieldProps) {
  const labelId = useId();
  return (
    <div>
      {hideLabel ? (
        <VisuallyHidden id={labelId}>{label}</VisuallyHidden>
      ) : (
        <Text size="sm" fw={600} mb={4} id={labelId}>
          {label}
        </Text>
      )}
      <Group gap={0} wrap="nowrap" className={classes.field}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard. */}
        <section className={classes.value} data-wraps={wraps || undefined} aria-labelledby={labelId} tabIndex={0}>
          <code>{value}</code>
        </section>
        <CopyIconButton value={value} label={`${COMMON_TEXTS.copy}: ${label}`} size={34} />
      </Group>
    </div>
  );
}
