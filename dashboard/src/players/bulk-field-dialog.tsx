import type { Player } from "@lineup/api/players";
import { NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { PLAYER_TEXTS, BULK_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { BulkFrame } from "./bulk-frame.tsx";
import { CONTRACT_CHOICES, STATUS_CHOICES } from "./player-looks.ts";
import { changeFields, type PlayerFields } from "./player-tasks.ts";

export interface BulkFieldDialogProps {
  readonly orgId: string;
  readonly field: "status" | "contractStatus";
  readonly players: readonly Player[];
  readonly onClose: () => void;
}

/** Sets the status, or the contract status, of many players. */
export function BulkFieldDialog({ orgId, field, players, onClose }: BulkFieldDialogProps) {
  const [value, setValue] = useState("");
  const isStatus = field === "status";
  const toChange = players.filter((player) => player[field] !== value);
  const fields = { [field]: value } as PlayerFields;
  const tasks = value === "" ? null : toChange.map((player) => changeFields(orgId, player, fields));
  return (
    <BulkFrame
      orgId={orgId}
      title={isStatus ? TEXTS.statusTitle(players.length) : TEXTS.contractTitle(players.length)}
      onClose={onClose}
      tasks={tasks}
    >
      <NativeSelect
        label={PLAYER_TEXTS.names[field]}
        data={[{ value: "", label: TEXTS.chooseStatus }, ...(isStatus ? STATUS_CHOICES : CONTRACT_CHOICES)]}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        data-autofocus
      />
      {!isStatus && (
        <Text size="sm" c="dimmed">
          {TEXTS.contractNote}
        </Text>
      )}
      {value !== "" && toChange.length < players.length && (
        <Text size="sm">{TEXTS.alreadySo(players.length - toChange.length)}</Text>
      )}
    </BulkFrame>
  );
}
