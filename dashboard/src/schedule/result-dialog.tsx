/** Enters a result: a press where the series can end only so, else two numbers. ResultChoices stands in the panel of an entry too. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { focusFirst } from "../client/use-action-form.ts";
import { useRecords } from "../records/use-records.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { EVENT_FORM_TEXTS as FORM_TEXTS, EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { listScores, type Score, sayScore } from "./score-choices.ts";
import { useEventResult } from "./use-event-result.ts";

export interface ResultDialogProps {
  readonly event: ScheduleEntry;
  readonly onClose: () => void;
}

export function ResultDialog({ event, onClose }: ResultDialogProps) {
  const { save, isBusy } = useEventResult(onClose);
  return (
    <PlainDialog isOpen onClose={onClose} title={FORM_TEXTS.resultTitle(event.title)}>
      <Stack gap="md">
        <ResultChoices event={event} isBusy={isBusy} onChoose={(score) => save(event, score)} />
        <ScoreForm event={event} isBusy={isBusy} onSave={(score) => save(event, score)} onClose={onClose} />
      </Stack>
    </PlainDialog>
  );
}

function useSides({ teamId, opponent }: ScheduleEntry): readonly [own: string, other: string] {
  const team = useRecords("team").byId.get(teamId ?? "");
  return [team?.name ?? TEXTS.us, opponent === null || opponent === "" ? TEXTS.them : opponent];
}

export interface ResultChoicesProps {
  readonly event: ScheduleEntry;
  readonly isBusy: boolean;
  readonly onChoose: (score: Score) => void;
}

export function ResultChoices({ event, isBusy, onChoose }: ResultChoicesProps) {
  const [own, other] = useSides(event);
  const scores = listScores(event.bestOf);
  if (scores.length === 0) return null;
  return (
    <div>
      <Text size="sm" mb={6}>
        {TEXTS.quickHint(own, other)}
      </Text>
      <Group gap="xs">
        {scores.map((score) => (
          <Button
            key={sayScore(score)}
            variant={score.own > score.opponent ? "light" : "default"}
            aria-label={TEXTS.quickLabel(sayScore(score))}
            disabled={isBusy}
            onClick={() => onChoose(score)}
          >
            {sayScore(score)}
          </Button>
        ))}
      </Group>
    </div>
  );
}

interface ScoreFormProps {
  readonly event: ScheduleEntry;
  readonly isBusy: boolean;
  readonly onSave: (score: Score) => void;
  readonly onClose: () => void;
}

function ScoreForm({ event, isBusy, onSave, onClose }: ScoreFormProps) {
  const [own, other] = useSides(event);
  const [typed, setTyped] = useState({
    own: String(event.result?.own ?? ""),
    opponent: String(event.result?.opponent ?? ""),
  });
  const [isTried, setTried] = useState(false);
  const faultOf = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? null : FORM_TEXTS.scoreMissing);
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    setTried(true);
    const wrong = (["own", "opponent"] as const).filter((side) => faultOf(typed[side]) !== null);
    if (wrong.length > 0) return focusFirst(wrong);
    onSave({ own: Number(typed.own), opponent: Number(typed.opponent) });
  };
  const field = (side: "own" | "opponent", label: string) => (
    <TextInput
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={typed[side]}
      onChange={(event) => setTyped({ ...typed, [side]: event.currentTarget.value })}
      error={isTried && faultOf(typed[side])}
      data-field={side}
      data-autofocus={side === "own" || undefined}
    />
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <SimpleGrid cols={2} spacing="sm">
          {field("own", FORM_TEXTS.own(own))}
          {field("opponent", FORM_TEXTS.other(other))}
        </SimpleGrid>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {COMMON_TEXTS.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {FORM_TEXTS.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
