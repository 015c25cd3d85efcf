import type { AttemptView } from "@lineup/api/dashboard/webhooks";
import { Alert, Box, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconSend } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { DELIVERY_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { FormError } from "../ui/form-error.tsx";
import { PulseDot } from "./pulse-dot.tsx";
import { explainAttempt, sayAnswer } from "./webhook-states.ts";

export interface AttemptPanelProps {
  /** Null where nothing was answered. */
  readonly attempt: AttemptView | null;
  /** By which the endpoint's own log knows it, where that is known here. */
  readonly messageId?: string | undefined;
  /** Whether the endpoint is waited for. */
  readonly isWaiting: boolean;
  readonly texts: {
    readonly waitingTitle: string;
    readonly waitingBody?: string;
    readonly takenTitle: string;
    readonly refusedTitle: string;
  };
  /** What can be done next, once there is an answer. */
  readonly action?: ReactNode;
  /** Why the server itself did not send it. */
  readonly failure?: RequestFailure | null;
}

/** What an endpoint answered to a ping: status, duration, and what was wrong in words. Read out when it comes. */
export function AttemptPanel({ attempt, messageId, isWaiting, texts, action, failure = null }: AttemptPanelProps) {
  return (
    <div aria-live="polite">
      <FormError failure={failure} />
      {isWaiting && (
        <Alert
          color="gray"
          role="presentation"
          variant="light"
          icon={<IconSend size={18} aria-hidden />}
          title={<PulseDot>{texts.waitingTitle}</PulseDot>}
        >
          {texts.waitingBody}
        </Alert>
      )}
      {attempt !== null && !isWaiting && (
        <Answer attempt={attempt} messageId={messageId} texts={texts} action={action} />
      )}
    </div>
  );
}

function Answer({
  attempt,
  messageId,
  texts,
  action,
}: { readonly attempt: AttemptView } & Pick<AttemptPanelProps, "messageId" | "texts" | "action">) {
  const explained = explainAttempt(attempt);
  const Shape = explained === null ? IconCircleCheck : IconAlertTriangle;
  return (
    <Alert
      color={explained === null ? "green" : "red"}
      role="presentation"
      variant="light"
      icon={<Shape size={18} aria-hidden />}
      title={explained === null ? texts.takenTitle : texts.refusedTitle}
    >
      <Text size="sm" component="div">
        {sayAnswer(attempt)}, <ExactTime at={attempt.at} as="moment" />
      </Text>
      {explained !== null && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {explained}
        </Text>
      )}
      {explained !== null && messageId !== undefined && (
        <Group gap={4} mt={4} wrap="nowrap">
          <Text size="xs">
            {TEXTS.id}{" "}
            <Text span inherit ff="monospace" style={{ overflowWrap: "anywhere" }}>
              {messageId}
            </Text>
          </Text>
          <CopyIconButton value={messageId} label={TEXTS.copyId} />
        </Group>
      )}
      {action !== undefined && <Box mt="sm">{action}</Box>}
    </Alert>
  );
}
