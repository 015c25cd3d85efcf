/** Stands at the foot of the window while players are selected, and says what can be done with all of them. */
import type { Player } from "@lineup/api/players";
import { Button, CloseButton, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useRecords } from "../records/use-records.ts";
import { BULK_TEXTS as TEXTS } from "../texts/player-texts.ts";
import classes from "./bulk-bar.module.css";
import { BulkFieldDialog } from "./bulk-field-dialog.tsx";
import { BulkTeamDialog } from "./bulk-team-dialog.tsx";

export interface BulkBarProps {
  readonly orgId: string;
  readonly selected: ReadonlySet<string>;
  readonly shown: readonly Player[];
  readonly onClear: () => void;
}

export type BulkKind = "team" | "status" | "contractStatus";

export function BulkBar({ orgId, selected, shown, onClear }: BulkBarProps) {
  const { byId } = useRecords("player");
  const [kind, setKind] = useState<BulkKind | null>(null);
  const players = [...selected].flatMap((id) => byId.get(id) ?? []);
  const hidden = players.length - shown.filter(({ id }) => selected.has(id)).length;
  const close = () => setKind(null);
  return (
    <section className={classes.bar} aria-label={TEXTS.bar}>
      <Group gap="xs" wrap="nowrap">
        <CloseButton aria-label={TEXTS.clear} onClick={onClear} />
        <Text size="sm" fw={600} role="status">
          {TEXTS.selected(players.length)}
          {hidden > 0 && (
            <Text span inherit fw={400} c="dimmed">
              {`, ${TEXTS.hidden(hidden)}`}
            </Text>
          )}
        </Text>
      </Group>
      <Group gap={6}>
        <Button size="xs" variant="default" onClick={() => setKind("team")}>
          {TEXTS.team}
        </Button>
        <Button size="xs" variant="default" onClick={() => setKind("status")}>
          {TEXTS.status}
        </Button>
        <Button size="xs" variant="default" onClick={() => setKind("contractStatus")}>
          {TEXTS.contract}
        </Button>
      </Group>
      {kind === "team" && <BulkTeamDialog orgId={orgId} players={players} onClose={close} />}
      {kind !== null && kind !== "team" && (
        <BulkFieldDialog orgId={orgId} field={kind} players={players} onClose={close} />
      )}
    </section>
  );
}
