/** A webhook's secret, shown this once: after its creation and after a rotation. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { SECRET_TEXTS as TEXTS } from "../texts/create-webhook-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { SecretReveal } from "./secret-reveal.tsx";
import { makeSecretLine, VERIFY_LINES } from "./shell-lines.ts";

export interface MadeSecret {
  readonly id: string;
  readonly secret: string;
}

export interface WebhookRevealProps {
  readonly orgId: string;
  readonly made: MadeSecret;
  readonly title: string;
  /** What else there is to know, such as how long the old secret signs. */
  readonly lead?: ReactNode;
  /** What the endpoint answers. */
  readonly beneath: ReactNode;
  /** Where the way on leads to the page one is on: what closes this. */
  readonly onGoOn?: () => void;
}

export function WebhookReveal({ orgId, made, title, lead, beneath, onGoOn }: WebhookRevealProps) {
  return (
    <SecretReveal
      title={title}
      lead={lead}
      texts={TEXTS}
      goOn={(ref) => (
        <ButtonLink
          ref={ref}
          to="/orgs/$orgId/compliance/webhooks/$webhookId"
          params={{ orgId, webhookId: made.id }}
          {...(onGoOn !== undefined && { onClick: onGoOn })}
        >
          {TEXTS.goOn}
        </ButtonLink>
      )}
      beneath={beneath}
    >
      <CopyField label={TEXTS.secret} value={made.secret} wraps />
      <CopyField label={TEXTS.env} value={makeSecretLine(made.secret)} wraps />
      <div>
        <CopyField label={TEXTS.verify} value={VERIFY_LINES} />
        <Text size="sm" c="dimmed" mt={6}>
          {TEXTS.verifyHint}
        </Text>
      </div>
    </SecretReveal>
  );
}
