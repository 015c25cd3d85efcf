import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Alert, Text } from "@mantine/core";
import { WEBHOOK_TEXTS as TEXTS, WEBHOOK_STATE_TEXTS } from "../texts/webhook-texts.ts";
import { TONE_COLORS } from "../theme.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { WEBHOOK_STATE_LOOKS } from "./webhook-states.ts";

const SAYS_NOTHING: ReadonlySet<string> = new Set(["active", "new"]);

/** What the state asks for: since when, why, and what happens next. */
export function WebhookNotice({ webhook }: { readonly webhook: WebhookView }) {
  if (SAYS_NOTHING.has(webhook.state)) return null;
  const { icon: IconShape, tone } = WEBHOOK_STATE_LOOKS[webhook.state];
  return (
    <Alert color={TONE_COLORS[tone]} variant="light" mb="md" role="status" icon={<IconShape size={18} aria-hidden />}>
      <Text size="sm" component="div" style={{ overflowWrap: "anywhere" }}>
        <What webhook={webhook} /> {WEBHOOK_STATE_TEXTS[webhook.state].advice}
      </Text>
    </Alert>
  );
}

function What({ webhook }: { readonly webhook: WebhookView }) {
  if (webhook.state === "disabled") {
    return (
      <>
        {webhook.disabledReason} {TEXTS.disabledNotice} <ExactTime at={webhook.disabledAt} as="day-time" />.
      </>
    );
  }
  if (webhook.state === "rotating") {
    return (
      <>
        {TEXTS.rotatingNotice} <ExactTime at={webhook.previousSecretUntil} as="day-time" />.
      </>
    );
  }
  return (
    <>
      {TEXTS.failingNotice} <ExactTime at={webhook.failingSince} as="day-time" />.
      {webhook.disablesAt !== null && (
        <>
          {" "}
          {TEXTS.failingThen} <ExactTime at={webhook.disablesAt} as="day-time" />
          {TEXTS.failingEnd}
        </>
      )}
    </>
  );
}
