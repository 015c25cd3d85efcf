/** A dialog that changes many players: first what is chosen, then how far it is, then what came of it and the way back. */
import type { Player } from "@lineup/api/players";
import { Button, Group, List, Progress, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { RequestFailure } from "../client/request-failure.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { BULK_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import classes from "./bulk-frame.module.css";
import type { BulkOutcome, BulkTask } from "./bulk-run.ts";
import { type BulkPhase, useBulkRun } from "./use-bulk-run.ts";

export interface BulkFrameProps {
  readonly orgId: string;
  readonly title: string;
  readonly onClose: () => void;
  /** What would be written; null while something is still to be chosen. */
  readonly tasks: readonly BulkTask<Player>[] | null;
  readonly children: ReactNode;
}

export function BulkFrame({ orgId, title, onClose, tasks, children }: BulkFrameProps) {
  const { phase, start, stop, undo } = useBulkRun(orgId);
  const isRunning = phase.name === "running" || phase.name === "undoing";
  return (
    <PlainDialog isOpen title={title} onClose={onClose} size="lg" isFirm={isRunning}>
      {phase.name === "choosing" && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (tasks !== null && tasks.length > 0) start(tasks);
          }}
        >
          <Stack gap="md">
            {children}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                {COMMON_TEXTS.cancel}
              </Button>
              <Button type="submit" disabled={tasks === null || tasks.length === 0}>
                {TEXTS.submit(tasks?.length)}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
      {isRunning && <Running phase={phase} onStop={stop} />}
      {(phase.name === "ran" || phase.name === "undone") && <Outcome phase={phase} onUndo={undo} onClose={onClose} />}
    </PlainDialog>
  );
}

interface RunningProps {
  readonly phase: Extract<BulkPhase, { name: "running" | "undoing" }>;
  readonly onStop: () => void;
}

function Running({ phase: { name, done, all }, onStop }: RunningProps) {
  const label = name === "running" ? TEXTS.running : TEXTS.undoing;
  return (
    <Stack gap="md">
      <Text size="sm">
        {label}: {TEXTS.progress(done, all)}
      </Text>
      <Progress value={(100 * done) / Math.max(1, all)} aria-label={label} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onStop} data-autofocus>
          {TEXTS.stop}
        </Button>
      </Group>
    </Stack>
  );
}

interface OutcomeProps {
  readonly phase: Extract<BulkPhase, { name: "ran" | "undone" }>;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}

function Outcome({ phase: { name, outcome }, onUndo, onClose }: OutcomeProps) {
  const { changed, refused, untried } = outcome;
  const isBack = name === "undone";
  const done = useRef<HTMLButtonElement>(null);
  // What had the focus is gone with the progress.
  useEffect(() => done.current?.focus(), []);
  return (
    <Stack gap="md">
      <Text role="status">{isBack ? TEXTS.undone(changed.length) : TEXTS.finished(changed.length)}</Text>
      {refused.length > 0 && (
        <div>
          <Text fw={600}>{isBack ? TEXTS.notUndone(refused.length) : TEXTS.refused(refused.length)}</Text>
          <Refusals refused={refused} />
        </div>
      )}
      {untried > 0 && <Text>{TEXTS.stopped(untried)}</Text>}
      <Group justify="flex-end" gap="xs">
        {!isBack && changed.length > 0 && (
          <Button variant="default" onClick={onUndo}>
            {TEXTS.undo}
          </Button>
        )}
        <Button onClick={onClose} ref={done}>
          {TEXTS.done}
        </Button>
      </Group>
    </Stack>
  );
}

function Refusals({ refused }: Pick<BulkOutcome<Player>, "refused">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard.
    <section className={classes.refusals} aria-label={TEXTS.refused(refused.length)} tabIndex={0}>
      <List size="sm">
        {refused.map(({ of, reason }) => (
          <List.Item key={of.id}>
            <b>{of.ign}</b>: {sayReason(reason)}
          </List.Item>
        ))}
      </List>
    </section>
  );
}

function sayReason(reason: unknown): string {
  if (!(reason instanceof RequestFailure)) return String(reason);
  return reason.code === "CONFLICT" ? TEXTS.changedMeanwhile : reason.message;
}
