/** What needs somebody: entries of one team that overlap, and matches without a result. A line each, opened by a press. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAlertTriangle, IconTrophy, type TablerIcon } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import { useRecords } from "../records/use-records.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { TONE_COLORS, type Tone } from "../theme.ts";
import type { Clash } from "./event-spans.ts";
import { sayWhen } from "./event-times.ts";
import classes from "./schedule-notices.module.css";

const SHOWN = 8;

interface NoticeProps {
  readonly tone: Tone;
  readonly icon: TablerIcon;
  readonly title: string;
  readonly more: number;
  readonly children: ReactNode;
}

function Notice({ tone, icon: IconShape, title, more, children }: NoticeProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  return (
    <Alert color={TONE_COLORS[tone]} variant="light" p="xs" icon={<IconShape size={18} aria-hidden />}>
      <Group justify="space-between" gap="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Button size="compact-sm" variant="default" aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          {isOpen ? TEXTS.hide : TEXTS.show}
        </Button>
      </Group>
      <div id={id} hidden={!isOpen}>
        {isOpen && children}
        {isOpen && more > 0 && <Text size="sm">{TEXTS.andMore(more)}</Text>}
      </div>
    </Alert>
  );
}

export interface ClashNoticeProps {
  readonly clashes: readonly Clash[];
  readonly onOpen: (id: string) => void;
}

export function ClashNotice({ clashes, onOpen }: ClashNoticeProps) {
  const teams = useRecords("team").byId;
  if (clashes.length === 0) return null;
  return (
    <Notice
      tone="warn"
      icon={IconAlertTriangle}
      title={TEXTS.clashTitle(clashes.length)}
      more={Math.max(clashes.length - SHOWN, 0)}
    >
      <Text size="sm">{TEXTS.clashBody}</Text>
      <ul className={classes.list}>
        {clashes.slice(0, SHOWN).map(({ teamId, events }) => (
          <li key={events[0]?.id}>
            <Text size="sm" fw={600}>
              {teams.get(teamId)?.name ?? TEXTS.team}
            </Text>
            {events.slice(0, SHOWN).map((event) => (
              <EventLink key={event.id} event={event} onOpen={onOpen} />
            ))}
            {events.length > SHOWN && <Text size="sm">{TEXTS.andMore(events.length - SHOWN)}</Text>}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

export interface WaitingNoticeProps {
  /** The latest first. */
  readonly waiting: readonly ScheduleEntry[];
  readonly onOpen: (id: string) => void;
  readonly onResult: (event: ScheduleEntry) => void;
}

export function WaitingNotice({ waiting, onOpen, onResult }: WaitingNoticeProps) {
  if (waiting.length === 0) return null;
  return (
    <Notice
      tone="info"
      icon={IconTrophy}
      title={TEXTS.waitingTitle(waiting.length)}
      more={Math.max(waiting.length - SHOWN, 0)}
    >
      <ul className={classes.list}>
        {waiting.slice(0, SHOWN).map((event) => (
          <li key={event.id} className={classes.line}>
            <EventLink event={event} onOpen={onOpen} />
            <Button size="compact-sm" aria-label={TEXTS.enterResultOf(event.title)} onClick={() => onResult(event)}>
              {TEXTS.enterResult}
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

interface EventLinkProps {
  readonly event: ScheduleEntry;
  readonly onOpen: (id: string) => void;
}

function EventLink({ event, onOpen }: EventLinkProps) {
  return (
    <Stack gap={0} align="flex-start">
      <Anchor component="button" type="button" size="sm" ta="left" mih={24} onClick={() => onOpen(event.id)}>
        {event.title}, {sayWhen(event)}
      </Anchor>
    </Stack>
  );
}
