/** The board of an earlier day, which nobody changes. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconCalendarOff, IconHistory } from "@tabler/icons-react";
import { DAY_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { sayUtcDay } from "../ui/time-words.ts";
import { BoardLoading } from "./board-notices.tsx";
import { BoardView } from "./roster-board.tsx";
import { endOfDayNumber, startOfDayNumber } from "./roster-days.ts";
import { type TeamFilters, usePastRoster } from "./use-roster-board.ts";

export interface PastBoardProps {
  readonly day: number;
  readonly filters: TeamFilters;
  readonly onLeave: () => void;
}

export function PastBoard({ day, filters, onLeave }: PastBoardProps) {
  const { board, failure, retry } = usePastRoster(endOfDayNumber(day), filters);
  // What is pressed goes with this board; the other button that does the same stays.
  const leave = () => {
    onLeave();
    document.querySelector<HTMLElement>("[data-today]")?.focus();
  };
  return (
    <>
      <Alert variant="light" color="petrol" mb="sm" p="xs" icon={<IconHistory size={18} aria-hidden />}>
        <Group justify="space-between" gap="xs">
          <Text size="sm" flex={1} miw={200}>
            {TEXTS.past(sayUtcDay(startOfDayNumber(day)))}
          </Text>
          <Button size="compact-sm" variant="default" onClick={leave}>
            {TEXTS.showToday}
          </Button>
        </Group>
      </Alert>
      {board === undefined && <BoardLoading failure={failure} onRetry={retry} />}
      {board?.columns.length === 0 && (
        <EmptyState icon={<IconCalendarOff size={22} />} title={TEXTS.nobodyTitle}>
          {TEXTS.nobodyBody}
        </EmptyState>
      )}
      {board !== undefined && board.columns.length > 0 && (
        <BoardView board={board} isComplete draggedFrom={undefined} />
      )}
    </>
  );
}
