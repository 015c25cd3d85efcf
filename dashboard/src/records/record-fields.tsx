/**
 * Fields of forms about records. Days, times and choices are the browser's own: they work with every keyboard, screen reader and phone as
 * people are used to. Each takes `value`, `onChange(value)` and `error` as a Mantine form gives them, and `data-field`.
 */
import { GAMES, type Game, ROLES_BY_GAME } from "@lineup/api/roles";
import { NativeSelect, Select, TextInput } from "@mantine/core";
import { type ChangeEvent, type ReactNode, useState } from "react";
import { RECORD_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { COUNTRIES, type CountryChoice, findCountries, readCountry } from "./country-names.ts";
import { LAST_DAY, LAST_MOMENT, nameZone, readDay, readMoment, writeDay, writeMoment } from "./typed-moments.ts";
import { useRecords } from "./use-records.ts";

export interface FieldProps<T> {
  readonly label?: string;
  readonly description?: ReactNode;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly error?: ReactNode;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly "data-field"?: string;
  readonly "data-autofocus"?: boolean;
}

/** One of the organization's teams; inactive ones only where the value is one. */
export function TeamSelect({ value, onChange, none = TEXTS.noTeam, ...props }: TeamSelectProps) {
  const { all = [] } = useRecords("team");
  const choices = all
    .filter(({ id, status }) => status === "active" || id === value)
    .map(({ id, name, game }) => ({ value: id, label: `${name} (${game})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <NativeSelect
      label={TEXTS.team}
      {...props}
      data={[{ value: "", label: none }, ...choices]}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value === "" ? null : event.currentTarget.value)}
    />
  );
}

export interface TeamSelectProps extends FieldProps<string | null> {
  /** What no team is called. */
  readonly none?: string;
}

export function GameSelect({ value, onChange, ...props }: FieldProps<Game>) {
  return (
    <NativeSelect
      label={TEXTS.game}
      {...props}
      data={[...GAMES]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Game)}
    />
  );
}

export interface RoleSelectProps extends FieldProps<string | null> {
  readonly game: Game;
  /** What no role is called; without it a role must be chosen. */
  readonly none?: string;
}

/** A role of the game. One of another game is shown as not chosen. */
export function RoleSelect({ game, value, onChange, none = TEXTS.chooseRole, ...props }: RoleSelectProps) {
  const roles = ROLES_BY_GAME[game];
  return (
    <NativeSelect
      label={TEXTS.role}
      {...props}
      data={[{ value: "", label: none }, ...roles.map((role) => ({ value: role, label: role }))]}
      value={value !== null && roles.includes(value) ? value : ""}
      onChange={(event) => onChange(event.currentTarget.value === "" ? null : event.currentTarget.value)}
    />
  );
}

const PLAYERS_SHOWN = 20;
const LIST_PX = 220;

/** Of what is found by typing: the list itself scrolls, and the field leads through it, so no part of it must be focusable. */
const FOUND_LIST = {
  searchable: true,
  comboboxProps: { withinPortal: false },
  withScrollArea: false,
  styles: { options: { maxHeight: LIST_PX, overflowY: "auto" } },
} as const;

/** Found by part of a name, among however many. */
export function PlayerSelect({ value, onChange, ...props }: FieldProps<string | null>) {
  const { all = [], isComplete } = useRecords("player");
  return (
    <Select
      label={TEXTS.player}
      placeholder={TEXTS.choosePlayer}
      nothingFoundMessage={isComplete && all.length === 0 ? TEXTS.noPlayers : TEXTS.noSuchPlayer}
      {...FOUND_LIST}
      {...props}
      limit={PLAYERS_SHOWN}
      data={all.map(({ id, ign, realName }) => ({ value: id, label: realName === "" ? ign : `${ign} (${realName})` }))}
      value={value}
      onChange={onChange}
    />
  );
}

const COUNTRY_CHOICES: CountryChoice[] = [{ value: "", label: TEXTS.noCountry }, ...COUNTRIES];

/** A country by its name or its code. The value is the code. */
export function CountrySelect({ value, onChange, ...props }: FieldProps<string | null>) {
  const choose = (code: string | null) => onChange(code === "" ? null : code);
  return (
    <Select
      placeholder={TEXTS.noCountry}
      nothingFoundMessage={TEXTS.noSuchCountry}
      {...FOUND_LIST}
      {...props}
      data={COUNTRY_CHOICES}
      filter={({ options, search }) => findCountries(options as CountryChoice[], search)}
      selectFirstOptionOnChange
      allowDeselect={false}
      clearable
      clearButtonProps={{ "aria-label": TEXTS.clearCountry }}
      value={value}
      onChange={choose}
      // What was typed counts without being chosen from the list, where it can mean one country alone; so does what was taken out.
      onBlur={({ currentTarget }) => {
        const code = currentTarget.value === "" ? null : readCountry(currentTarget.value);
        if (code !== undefined) onChange(code);
      }}
    />
  );
}

export interface DayFieldProps extends FieldProps<number | null> {
  /** Which moment of the day is meant. */
  readonly edge?: "start" | "end";
  readonly max?: number;
  readonly min?: number;
}

/**
 * The browser fills in a day part by part, and says each step. What was typed stands there until the field is left, whatever the page makes of
 * the steps: it would begin anew at every one that it shows otherwise.
 */
function useTyped(shown: string, onType: (text: string) => void) {
  const [typed, setTyped] = useState<string>();
  return {
    value: typed ?? shown,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
      setTyped(currentTarget.value);
      onType(currentTarget.value);
    },
    onBlur: () => setTyped(undefined),
  };
}

/** A day in UTC. */
export function DayField({ value, onChange, edge = "start", min, max, ...props }: DayFieldProps) {
  const typed = useTyped(value === null ? "" : writeDay(value), (text) => onChange(readDay(text, edge) ?? null));
  return (
    <TextInput
      {...props}
      type="date"
      {...(min !== undefined && { min: writeDay(min) })}
      max={max === undefined ? LAST_DAY : writeDay(max)}
      {...typed}
    />
  );
}

/** A day and a time in the viewer's zone, which is said. */
export function MomentField({ value, onChange, min, max, ...props }: Omit<DayFieldProps, "edge">) {
  const typed = useTyped(value === null ? "" : writeMoment(value), (text) => onChange(readMoment(text) ?? null));
  return (
    <TextInput
      description={TEXTS.zone(nameZone())}
      {...props}
      type="datetime-local"
      {...(min !== undefined && { min: writeMoment(min) })}
      max={max === undefined ? LAST_MOMENT : writeMoment(max)}
      {...typed}
    />
  );
}
