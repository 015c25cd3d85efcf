/**
 * Something that is shown this once, such as a key: it lives in the state of its page alone. Until somebody says that it is stored, the page asks
 * before it is left, inside the dashboard and by closing the window.
 */
import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { LeaveGuard, type LeaveTexts } from "../ui/leave-guard.tsx";
import { PageHeader } from "../ui/page-header.tsx";

export interface SecretRevealTexts extends LeaveTexts {
  readonly once: string;
  readonly onceBody: string;
  readonly stored: string;
  readonly storedHint: string;
}

export interface SecretRevealProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly texts: SecretRevealTexts;
  /** The secret, and what to do with it. */
  readonly children: ReactNode;
  /** Where one goes once it is stored. */
  readonly goOn: (ref: RefObject<HTMLAnchorElement | null>) => ReactNode;
  /** What comes of it, under the secret. */
  readonly beneath: ReactNode;
}

export function SecretReveal({ title, lead, texts, children, goOn, beneath }: SecretRevealProps) {
  const [isStored, setStored] = useState(false);
  // It takes the place of a form that may have been scrolled.
  useEffect(() => {
    window.scrollTo(0, 0);
  }, []);
  return (
    <>
      <PageHeader title={title} lead={lead} />
      <Stack gap="lg" maw={820}>
        <Paper withBorder p="lg">
          <Stack gap="md">
            <Alert
              role="note"
              color="amber"
              variant="light"
              icon={<IconAlertTriangle size={18} aria-hidden />}
              title={texts.once}
            >
              {texts.onceBody}
            </Alert>
            {children}
            {isStored ? <GoOn link={goOn} /> : <StoredButton texts={texts} onStored={() => setStored(true)} />}
          </Stack>
        </Paper>
        {beneath}
      </Stack>
      <LeaveGuard isOpen={!isStored} texts={texts} />
    </>
  );
}

function StoredButton({ texts, onStored }: { readonly texts: SecretRevealTexts; readonly onStored: () => void }) {
  return (
    <Group gap="sm">
      <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={onStored}>
        {texts.stored}
      </Button>
      <Text size="sm" c="dimmed">
        {texts.storedHint}
      </Text>
    </Group>
  );
}

/** Takes the place of the button that had the focus, and so the focus too. */
function GoOn({ link }: { readonly link: SecretRevealProps["goOn"] }) {
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return <Group gap="sm">{link(ref)}</Group>;
}
