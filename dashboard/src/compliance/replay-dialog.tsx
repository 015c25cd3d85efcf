import type { WebhookView } from "@lineup/api/dashboard/webhooks";
import { Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useActionMutation } from "../client/use-action.ts";
import { REPLAY_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { RETENTION_DAYS, type ReplayChoice, resolveSince } from "./replay-since.ts";
import { sayLocalTime } from "./time-range.ts";

export interface ReplayDialogProps {
  readonly orgId: string;
  readonly webhook: WebhookView;
  readonly onClose: () => void;
}

/** Sends all changes since a moment again. */
export function ReplayDialog({ orgId, webhook, onClose }: ReplayDialogProps) {
  const trouble = webhook.failingSince;
  const [choice, setChoice] = useState<ReplayChoice>(trouble === null ? "24h" : "trouble");
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const replay = useActionMutation("replayWebhook", {
    failure: "shown",
    changes: ["listWebhooks", "getWebhook", "listDeliveries"],
    says: ({ entries }) => (entries === 0 ? TEXTS.nothing : TEXTS.done(sayNumber(entries))),
    onDone: onClose,
  });
  const confirm = () => {
    const since = resolveSince(choice, { typed, trouble, now: serverNow() });
    setFault(since === undefined ? TEXTS.momentMissing(RETENTION_DAYS) : null);
    if (since !== undefined) replay.mutate({ path: { orgId, webhookId: webhook.id }, body: { since } });
  };
  return (
    <ConfirmDialog
      isOpen
      title={TEXTS.title}
      confirmLabel={TEXTS.submit}
      tone="info"
      onConfirm={confirm}
      onClose={onClose}
      isBusy={replay.isPending}
      failure={replay.error}
    >
      <Stack gap="md">
        <Text size="sm">{TEXTS.body}</Text>
        <SinceFields trouble={trouble} choice={choice} onChoose={setChoice} />
        {choice === "moment" && (
          <TextInput
            type="datetime-local"
            label={TEXTS.moment}
            description={TEXTS.momentHint(RETENTION_DAYS)}
            value={typed}
            max={sayLocalTime(serverNow())}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={fault}
            maw={260}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}

interface SinceFieldsProps {
  readonly trouble: number | null;
  readonly choice: ReplayChoice;
  readonly onChoose: (choice: ReplayChoice) => void;
}

function SinceFields({ trouble, choice, onChoose }: SinceFieldsProps) {
  const choices = (Object.keys(TEXTS.choices) as ReplayChoice[]).filter(
    (each) => each !== "trouble" || trouble !== null,
  );
  return (
    <Radio.Group label={TEXTS.since} value={choice} onChange={(value) => onChoose(value as ReplayChoice)}>
      <Stack gap={8} mt="xs">
        {choices.map((each) => (
          <Radio
            key={each}
            value={each}
            label={TEXTS.choices[each]}
            description={each === "trouble" ? <ExactTime at={trouble} as="day-time" isStop={false} /> : undefined}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
