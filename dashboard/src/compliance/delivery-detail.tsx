import type { AttemptView, DeliveryView } from "@lineup/api/dashboard/webhooks";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useActionMutation } from "../client/use-action.ts";
import { DELIVERY_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { sayDuration, sayNumber } from "../ui/number-words.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { adviseOn, DELIVERY_STATE_LOOKS, sayFault } from "./webhook-states.ts";

/** Whether a message can be sent again: by those who may, and not while the webhook is disabled. */
export type Replaying = "yes" | "no" | "later";

export interface DeliveryDetailProps {
  readonly orgId: string;
  readonly webhookId: string;
  readonly delivery: DeliveryView;
  readonly replaying: Replaying;
}

/** All attempts of one message, and the way to send it again. */
export function DeliveryDetail({ orgId, webhookId, delivery, replaying }: DeliveryDetailProps) {
  const last = delivery.attempts.at(-1);
  return (
    <Stack gap="sm" py="xs">
      <FactList facts={listFacts(delivery)} />
      {delivery.attempts.length > 0 && (
        <DataTable
          label={TEXTS.attemptsCaption}
          columns={COLUMNS}
          rows={delivery.attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
          rowKey={({ number }) => String(number)}
        />
      )}
      {last !== undefined && last.fault !== null && <Text size="sm">{adviseOn(last.status)}</Text>}
      {replaying === "yes" && <ReplayButton orgId={orgId} webhookId={webhookId} deliveryId={delivery.id} />}
      {replaying === "later" && (
        <Text size="sm" c="dimmed">
          {TEXTS.replayDisabled}
        </Text>
      )}
    </Stack>
  );
}

function listFacts({ id, sequence }: DeliveryView) {
  const idValue = (
    <Group gap={4} wrap="nowrap">
      <Text span inherit ff="monospace" fz="0.8125rem" style={{ overflowWrap: "anywhere" }}>
        {id}
      </Text>
      <CopyIconButton value={id} label={`${TEXTS.copyId} ${id}`} />
    </Group>
  );
  return [
    { name: TEXTS.id, value: idValue },
    ...(sequence === null ? [] : [{ name: TEXTS.sequence, value: sayNumber(sequence) }]),
  ];
}

type NumberedAttempt = AttemptView & { readonly number: number };

const { attempt: columns } = TEXTS;

const COLUMNS: readonly Column<NumberedAttempt>[] = [
  { key: "number", header: columns.number, isHeading: true, width: 80, cell: ({ number }) => number },
  { key: "at", header: columns.at, cell: ({ at }) => <ExactTime at={at} as="moment" isStop={false} /> },
  { key: "status", header: columns.status, cell: (attempt) => <Answer attempt={attempt} /> },
  { key: "duration", header: columns.duration, cell: ({ durationMs }) => sayDuration(durationMs) },
  { key: "fault", header: columns.fault, width: "45%", cell: (attempt) => sayFault(attempt) ?? TEXTS.taken },
];

function Answer({ attempt: { status, fault } }: { readonly attempt: AttemptView }) {
  const look = DELIVERY_STATE_LOOKS[fault === null ? "delivered" : "failed"];
  return <StatusBadge {...look} word={status === null ? TEXTS.noAnswer : String(status)} />;
}

interface ReplayButtonProps {
  readonly orgId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

function ReplayButton({ orgId, webhookId, deliveryId }: ReplayButtonProps) {
  const replay = useActionMutation("replayDelivery", {
    changes: ["listWebhooks", "getWebhook", "listDeliveries"],
    says: TEXTS.replayed,
  });
  return (
    <Group gap="sm">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconSend size={14} aria-hidden />}
        loading={replay.isPending}
        onClick={() => replay.mutate({ path: { orgId, webhookId, deliveryId } })}
      >
        {TEXTS.replay}
      </Button>
      <Text size="sm" c="dimmed">
        {TEXTS.replayHint}
      </Text>
    </Group>
  );
}
