/**
 * Facts that are changed where they stand: a press or Enter on a value opens its field, Escape closes it.
 *
 * EditableFacts { facts: { name, value, editor? }[] }
 *   value   as it is shown
 *   editor  (close) => its form; without one the fact is not to be changed
 */
import { UnstyledButton } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import classes from "./editable-fact.module.css";

export interface EditableFactProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly editor?: ((close: () => void) => ReactNode) | undefined;
}

export function EditableFacts({ facts }: { readonly facts: readonly EditableFactProps[] }) {
  return (
    <dl className={classes.list}>
      {facts.map((fact) => (
        <EditableFact key={fact.name} {...fact} />
      ))}
    </dl>
  );
}

function EditableFact({ name, value, editor }: EditableFactProps) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (isOpen) focusField(form.current);
    if (wasOpen.current && !isOpen) button.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  const close = () => setIsOpen(false);
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  return (
    <div className={classes.fact} data-open={isOpen || undefined}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>
        {isOpen && editor !== undefined ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: the controls inside do all that a pointer can.
          <div ref={form} onKeyDown={closeByKey}>
            {editor(close)}
          </div>
        ) : editor === undefined ? (
          value
        ) : (
          <UnstyledButton
            ref={button}
            className={classes.open}
            onClick={() => setIsOpen(true)}
            title={`${COMMON_TEXTS.edit}: ${name}`}
          >
            <span>{value}</span>
            <IconPencil size={14} aria-label={COMMON_TEXTS.edit} role="img" />
          </UnstyledButton>
        )}
      </dd>
    </div>
  );
}

/** Into the first field; what stands in a text is selected, to be typed over. */
export function focusField(form: HTMLElement | null): void {
  const field = form?.querySelector<HTMLElement>("input, select, textarea");
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
}
