/** One entry, opened: what is known of it, what can be done with it, and who changed it. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Alert, Anchor, Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconSearchOff } from "@tabler/icons-react";
import { serverNow } from "../client/server-clock.ts";
import { RecordHistory } from "../records/record-history.tsx";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES } from "../texts/home-texts.ts";
import { SCHEDULE_TEXTS, EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { useOnTop } from "../ui/use-on-top.ts";
import { EventActions, type EventDialogName } from "./event-actions.tsx";
import { EventFacts } from "./event-facts.tsx";
import { KIND_ICONS, STATUS_LOOKS } from "./event-looks.ts";
import { canHaveResult, canTake } from "./event-steps.ts";
import { sayWhen } from "./event-times.ts";
import { ResultChoices } from "./result-dialog.tsx";
import { useEventResult } from "./use-event-result.ts";

export interface EventPanelProps {
  /** Undefined while none is open. */
  readonly id: string | undefined;
  readonly event: ScheduleEntry | undefined;
  readonly isComplete: boolean;
  readonly clashing: readonly ScheduleEntry[];
  readonly mayManage: boolean;
  readonly onClose: () => void;
  readonly onOpen: (id: string) => void;
  readonly onAsk: (dialog: EventDialogName, event: ScheduleEntry) => void;
}

export function EventPanel({ id, event, isComplete, onClose, ...props }: EventPanelProps) {
  const isOnTop = useOnTop(id !== undefined);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      closeOnEscape={isOnTop}
      title={
        <Text span fw={650} fz="lg" style={{ overflowWrap: "anywhere" }}>
          {event?.title ?? SCHEDULE_TEXTS.title}
        </Text>
      }
      closeButtonProps={{ "aria-label": COMMON_TEXTS.close }}
    >
      {event !== undefined && <OpenEvent key={event.id} event={event} {...props} />}
      {id !== undefined && event === undefined && !isComplete && <LinesSkeleton lines={8} />}
      {id !== undefined && event === undefined && isComplete && (
        <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.missingTitle}>
          {TEXTS.missingBody}
        </EmptyState>
      )}
    </Drawer>
  );
}

type OpenEventProps = Pick<EventPanelProps, "clashing" | "mayManage" | "onOpen" | "onAsk"> & {
  readonly event: ScheduleEntry;
};

function OpenEvent({ event, clashing, mayManage, onOpen, onAsk }: OpenEventProps) {
  const look = STATUS_LOOKS[event.status];
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <StatusBadge icon={KIND_ICONS[event.kind]} word={EVENT_KIND_NAMES[event.kind]} tone="quiet" />
        <StatusBadge icon={look.icon} word={EVENT_STATUS_NAMES[event.status]} tone={look.tone} />
      </Group>
      {clashing.length > 0 && <ClashAlert clashing={clashing} onOpen={onOpen} />}
      {mayManage && <QuickResult event={event} onOther={() => onAsk("result", event)} />}
      <EventFacts event={event} />
      {mayManage && <EventActions event={event} onAsk={onAsk} />}
      <section>
        <Title order={2} mb="xs">
          {TEXTS.history}
        </Title>
        <RecordHistory recordId={event.id} />
      </section>
    </Stack>
  );
}

const CLASHES_SHOWN = 5;

function ClashAlert({ clashing, onOpen }: Pick<EventPanelProps, "clashing" | "onOpen">) {
  return (
    <Alert
      color="amber"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={`${SCHEDULE_TEXTS.clash}: ${TEXTS.clashesWith}`}
    >
      <Stack gap={4} align="flex-start">
        {clashing.slice(0, CLASHES_SHOWN).map((other) => (
          <Anchor key={other.id} component="button" size="sm" ta="left" mih={24} onClick={() => onOpen(other.id)}>
            {other.title}, {sayWhen(other)}
          </Anchor>
        ))}
        {clashing.length > CLASHES_SHOWN && SCHEDULE_TEXTS.andMore(clashing.length - CLASHES_SHOWN)}
      </Stack>
    </Alert>
  );
}

interface QuickResultProps {
  readonly event: ScheduleEntry;
  readonly onOther: () => void;
}

/** Of what has begun and has no result yet. */
function QuickResult({ event, onOther }: QuickResultProps) {
  const { save, isBusy } = useEventResult();
  const isWaiting = event.startsAt <= serverNow() && event.result === null;
  if (!isWaiting || !(canHaveResult(event) || canTake("complete", event))) return null;
  return (
    <section>
      <Title order={2} mb="xs">
        {TEXTS.quickTitle}
      </Title>
      <Stack gap="xs" align="flex-start">
        {canHaveResult(event) && (
          <ResultChoices event={event} isBusy={isBusy} onChoose={(score) => save(event, score)} />
        )}
        <Group gap="xs">
          {canHaveResult(event) && (
            <Button variant="default" onClick={onOther}>
              {event.bestOf === null ? SCHEDULE_TEXTS.enterResult : TEXTS.otherScore}
            </Button>
          )}
          {canTake("complete", event) && (
            <Button variant="default" loading={isBusy} onClick={() => save(event, null)}>
              {TEXTS.completeWithout}
            </Button>
          )}
        </Group>
      </Stack>
    </section>
  );
}
