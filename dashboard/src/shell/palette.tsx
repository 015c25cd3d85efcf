/**
 * The palette: type a few letters, choose with the arrow keys, open with Enter. Built as a combobox, so that screen readers say what
 * is chosen while the focus stays in the field.
 */
import { Kbd, Modal, Text } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { PALETTE_TEXTS } from "../texts/shortcut-texts.ts";
import { useOnTop } from "../ui/use-on-top.ts";
import classes from "./palette.module.css";
import { filterEntries, type PaletteEntry } from "./palette-entries.ts";
import { usePaletteEntries } from "./use-palette-entries.ts";

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const isOnTop = useOnTop(true);
  const entries = filterEntries(usePaletteEntries(query), query);
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      closeOnEscape={isOnTop}
      padding={0}
      size={600}
      yOffset="12vh"
      centered={false}
      attributes={{ content: { "aria-label": PALETTE_TEXTS.placeholder } }}
    >
      <PaletteBox query={query} onQuery={setQuery} entries={entries} onClose={onClose} />
    </Modal>
  );
}

interface PaletteBoxProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly entries: readonly PaletteEntry[];
  readonly onClose: () => void;
}

function PaletteBox({ query, onQuery, entries, onClose }: PaletteBoxProps) {
  const [place, setPlace] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const chosen = Math.min(place, entries.length - 1);
  // At once, and not when the dialog has come in: letters are on their way.
  useLayoutEffect(() => field.current?.focus(), []);
  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPlace((chosen + step + entries.length) % Math.max(1, entries.length));
    }
    // While a word is being composed, Enter ends the word.
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(entries[chosen]);
    }
  };
  return (
    <>
      <div className={classes.search}>
        <IconSearch size={18} aria-hidden />
        <input
          ref={field}
          role="combobox"
          className={classes.input}
          placeholder={PALETTE_TEXTS.placeholder}
          aria-label={PALETTE_TEXTS.placeholder}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${chosen}`}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          data-autofocus
          value={query}
          onChange={(event) => {
            onQuery(event.currentTarget.value);
            setPlace(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Kbd size="xs">Esc</Kbd>
      </div>
      <PaletteList id={id} entries={entries} chosen={chosen} onChoose={setPlace} onRun={run} />
      <Text className={classes.nothing ?? ""} role="status">
        {entries.length === 0 ? PALETTE_TEXTS.nothing : ""}
      </Text>
    </>
  );
}

interface PaletteListProps {
  readonly id: string;
  readonly entries: readonly PaletteEntry[];
  readonly chosen: number;
  readonly onChoose: (place: number) => void;
  readonly onRun: (entry: PaletteEntry) => void;
}

function PaletteList({ id, entries, chosen, onChoose, onRun }: PaletteListProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen one comes into sight whenever it changes.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen, entries]);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label={PALETTE_TEXTS.results} className={classes.list}>
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own.
        <div key={group} role="group" aria-label={group}>
          <Text className={classes.group ?? ""} aria-hidden>
            {group}
          </Text>
          {entries.map((entry, place) =>
            entry.group === group ? (
              // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus stays in the field, which takes the keys.
              <div
                key={entry.id}
                id={`${id}-${place}`}
                role="option"
                aria-selected={place === chosen}
                className={classes.entry}
                onMouseMove={() => onChoose(place)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onRun(entry)}
              >
                <entry.icon size={18} stroke={1.75} aria-hidden />
                <span className={classes.name}>{entry.name}</span>
                {entry.note !== undefined && <span className={classes.note}>{entry.note}</span>}
              </div>
            ) : null,
          )}
        </div>
      ))}
    </div>
  );
}
