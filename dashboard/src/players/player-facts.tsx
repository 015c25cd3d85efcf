/** What is known of a player, each value changed where it stands. */
import type { Player } from "@lineup/api/players";
import { NativeSelect, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { nameCountry } from "../records/country-names.ts";
import { CountrySelect, DayField } from "../records/record-fields.tsx";
import { PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { type EditableFactProps, EditableFacts } from "../ui/editable-fact.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { StatusWord } from "../ui/status-word.tsx";
import { sayUtcDay } from "../ui/time-words.ts";
import { CONTRACT_CHOICES, lookOfContract, lookOfStatus, STATUS_CHOICES } from "./player-looks.ts";
import { TeamRoleEditor } from "./team-role-editor.tsx";
import { type PlayerPatch, ValueEditor } from "./value-editor.tsx";

const { names } = TEXTS;

export interface PlayerFactsProps {
  readonly player: Player;
  readonly teamName: string;
  readonly mayManage: boolean;
}

export function PlayerFacts({ player, teamName, mayManage }: PlayerFactsProps) {
  const texts = listTexts(player);
  const facts = [...texts.slice(0, 2), ...listChoices(player, teamName), ...texts.slice(2)].map(
    ({ editor, ...fact }) => ({
      ...fact,
      editor: mayManage ? editor : undefined,
    }),
  );
  const fixed: EditableFactProps[] = [
    {
      name: names.id,
      value: (
        <Text span inherit ff="monospace" fz="xs">
          {player.id} <CopyIconButton value={player.id} label={TEXTS.copyId} />
        </Text>
      ),
    },
    { name: names.createdAt, value: <ExactTime at={player.createdAt} as="day" /> },
    { name: names.updatedAt, value: <ExactTime at={player.updatedAt} /> },
  ];
  return (
    <SectionCard title={TEXTS.facts} {...(mayManage && { lead: TEXTS.factsHint })}>
      <EditableFacts facts={[...facts, ...fixed]} />
    </SectionCard>
  );
}

interface TextFact {
  readonly field: "ign" | "realName" | "imageUrl";
  readonly shown: ReactNode;
  readonly hint?: string;
  readonly toPatch: (text: string) => PlayerPatch;
}

const orNull = (text: string) => (text.trim() === "" ? null : text.trim());

function listTexts(player: Player): EditableFactProps[] {
  const facts: TextFact[] = [
    { field: "ign", shown: player.ign, toPatch: (ign) => ({ ign }) },
    { field: "realName", shown: player.realName, toPatch: (realName) => ({ realName }) },
    {
      field: "imageUrl",
      shown: player.imageUrl,
      hint: TEXTS.imageHint,
      toPatch: (text) => ({ imageUrl: orNull(text) }),
    },
  ];
  return facts.map(({ field, shown, hint, toPatch }) => ({
    name: names[field],
    value: shown === "" || shown === null ? <Nothing /> : shown,
    editor: (close) => (
      <ValueEditor player={player} name={names[field]} initial={player[field] ?? ""} toPatch={toPatch} close={close}>
        {(text, change) => (
          <TextInput
            aria-label={names[field]}
            {...(hint !== undefined && { description: hint })}
            value={text}
            onChange={(event) => change(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
      </ValueEditor>
    ),
  }));
}

function listChoices(player: Player, teamName: string): EditableFactProps[] {
  return [
    {
      name: names.teamAndRole,
      value: (
        <>
          {teamName}, {player.role}
        </>
      ),
      editor: (close) => <TeamRoleEditor player={player} close={close} />,
    },
    choose(player, "status", STATUS_CHOICES, <StatusWord {...lookOfStatus(player.status)} />),
    choose(player, "contractStatus", CONTRACT_CHOICES, <StatusWord {...lookOfContract(player.contractStatus)} />),
    {
      name: names.joinDate,
      value: sayUtcDay(player.joinDate),
      editor: (close) => (
        <ValueEditor<number | null>
          player={player}
          name={names.joinDate}
          initial={player.joinDate}
          toPatch={(joinDate) => (joinDate === null ? {} : { joinDate })}
          close={close}
        >
          {(value, change) => <DayField aria-label={names.joinDate} value={value} onChange={change} />}
        </ValueEditor>
      ),
    },
    {
      name: names.nationality,
      value: player.nationality === null ? <Nothing /> : nameCountry(player.nationality),
      editor: (close) => (
        <ValueEditor<string | null>
          player={player}
          name={names.nationality}
          initial={player.nationality}
          toPatch={(nationality) => ({ nationality })}
          close={close}
        >
          {(value, change) => <CountrySelect aria-label={names.nationality} value={value} onChange={change} />}
        </ValueEditor>
      ),
    },
  ];
}

function choose<F extends "status" | "contractStatus">(
  player: Player,
  field: F,
  choices: readonly { readonly value: Player[F]; readonly label: string }[],
  shown: ReactNode,
): EditableFactProps {
  return {
    name: names[field],
    value: shown,
    editor: (close) => (
      <ValueEditor<string>
        player={player}
        name={names[field]}
        initial={player[field]}
        toPatch={(value) => ({ [field]: value }) as PlayerPatch}
        close={close}
      >
        {(value, change) => (
          <NativeSelect
            aria-label={names[field]}
            data={[...choices]}
            value={value}
            onChange={(event) => change(event.currentTarget.value)}
          />
        )}
      </ValueEditor>
    ),
  };
}

function Nothing() {
  return (
    <Text span inherit c="dimmed">
      {TEXTS.nothing}
    </Text>
  );
}
