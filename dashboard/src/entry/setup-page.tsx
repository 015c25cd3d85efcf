/** The first start: nobody has an account, and a person who can read the server's log or its data folder makes the first. */
import { Alert, Code, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useSession } from "../client/session.ts";
import { SETUP_TEXTS } from "../texts/entry-texts.ts";
import { ButtonLink } from "../ui/links.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { SetupForm } from "./setup-form.tsx";

export function SetupPage() {
  const session = useSession();
  if (session !== undefined && !session.needsSetup) {
    return (
      <EntryFrame title={SETUP_TEXTS.doneTitle} lead={SETUP_TEXTS.doneLead}>
        <ButtonLink to="/sign-in" size="md">
          {SETUP_TEXTS.toSignIn}
        </ButtonLink>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title={SETUP_TEXTS.title} lead={SETUP_TEXTS.lead}>
      <Alert
        variant="light"
        color="petrol"
        title={SETUP_TEXTS.whereTitle}
        icon={<IconKey size={18} aria-hidden />}
        role="note"
      >
        <Text size="sm">{SETUP_TEXTS.whereLog}</Text>
        <Text size="sm" mt={4}>
          {SETUP_TEXTS.whereFile} <Code>setup-token</Code>.
        </Text>
        <Text size="sm" mt={4}>
          {SETUP_TEXTS.whereNote}
        </Text>
      </Alert>
      {session === undefined ? <LinesSkeleton lines={6} /> : <SetupForm />}
    </EntryFrame>
  );
}
