/**
 * A key, shown this once: after its creation and after a rotation. The key lives in this component's state alone; until somebody
 * says that it is stored, the page asks before it is left, inside the dashboard and by closing the window.
 */
import type { Permission } from "@lineup/api/permissions";
import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { REVEAL_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyField } from "../ui/copy-button.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { FirstRequest } from "./first-request.tsx";
import { makeEnvLine, makeFirstCurl } from "./shell-lines.ts";

export interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly permissions: readonly Permission[];
}

export interface KeyRevealProps {
  readonly orgId: string;
  readonly made: MadeKey;
  readonly title: string;
  /** What else there is to know, such as how long the old key works. */
  readonly children?: ReactNode;
}

export function KeyReveal({ orgId, made, title, children }: KeyRevealProps) {
  const [isStored, setStored] = useState(false);
  // It takes the place of a form that may have been scrolled.
  useEffect(() => {
    window.scrollTo(0, 0);
  }, []);
  return (
    <>
      <PageHeader title={title} lead={children} />
      <Stack gap="lg" maw={820}>
        <Paper withBorder p="lg">
          <Stack gap="md">
            <Alert
              role="note"
              color="amber"
              variant="light"
              icon={<IconAlertTriangle size={18} aria-hidden />}
              title={TEXTS.once}
            >
              {TEXTS.onceBody}
            </Alert>
            <CopyField label={TEXTS.key} value={made.key} wraps />
            <CopyField label={TEXTS.env} value={makeEnvLine(made.key)} wraps />
            <CopyField
              label={TEXTS.curl}
              value={makeFirstCurl(window.location.origin, made.key, made.permissions)}
              wraps
            />
            <StoredButtons orgId={orgId} keyId={made.id} isStored={isStored} onStored={() => setStored(true)} />
          </Stack>
        </Paper>
        <FirstRequest orgId={orgId} keyId={made.id} />
      </Stack>
      <LeaveGuard isOpen={!isStored} />
    </>
  );
}

interface StoredButtonsProps {
  readonly orgId: string;
  readonly keyId: string;
  readonly isStored: boolean;
  readonly onStored: () => void;
}

function StoredButtons({ orgId, keyId, isStored, onStored }: StoredButtonsProps) {
  const goOn = useRef<HTMLAnchorElement>(null);
  // The button that had the focus is gone, and the focus would be with it.
  useEffect(() => {
    if (isStored) goOn.current?.focus();
  }, [isStored]);
  if (isStored) return <ToKey orgId={orgId} keyId={keyId} />;
  return (
    <Group gap="sm">
      <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={onStored}>
        {TEXTS.stored}
      </Button>
      <Text size="sm" c="dimmed">
        {TEXTS.storedHint}
      </Text>
    </Group>
  );
}

/** Takes the place of the button that had the focus, and so the focus too. */
function ToKey({ orgId, keyId }: Pick<StoredButtonsProps, "orgId" | "keyId">) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return (
    <Group gap="sm">
      <ButtonLink ref={link} to="/orgs/$orgId/compliance/keys/$keyId" params={{ orgId, keyId }}>
        {TEXTS.goOn}
      </ButtonLink>
    </Group>
  );
}

function LeaveGuard({ isOpen }: { readonly isOpen: boolean }) {
  const blocker = useBlocker({
    // A change of the address on the page itself is no leaving.
    shouldBlockFn: ({ current, next }) => isOpen && current.pathname !== next.pathname,
    enableBeforeUnload: () => isOpen,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === "blocked"}
      title={TEXTS.leaveTitle}
      confirmLabel={TEXTS.leave}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      <Text>{TEXTS.leaveBody}</Text>
    </ConfirmDialog>
  );
}
