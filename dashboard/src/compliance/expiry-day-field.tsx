/**
 * The last day of a key, typed or chosen in the calendar. What is typed is either read exactly or refused at the field, and then no day is
 * chosen: never another one than stands there.
 */
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import { IconCalendar } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { CREATE_KEY_TEXTS as TEXTS } from "../texts/create-key-texts.ts";
import { CALENDAR_TEXTS } from "../texts/request-texts.ts";
import { findTypedDay, firstDay } from "./key-expiry.ts";

export interface ExpiryDayFieldProps {
  readonly day: string | null;
  readonly onDay: (day: string | null) => void;
  readonly error: ReactNode;
}

export function ExpiryDayField({ day, onDay, error }: ExpiryDayFieldProps) {
  const [fault, setFault] = useState<string | null>(null);
  // Nobody is told off in the middle of a word.
  const [isTyping, setTyping] = useState(false);
  const minDate = firstDay(serverNow());
  const readTyped = (text: string) => {
    const found = findTypedDay(text);
    const isRefused = found === undefined || found < minDate;
    setTyping(true);
    setFault(text.trim() === "" || !isRefused ? null : found === undefined ? TEXTS.dateUnread : TEXTS.dateMissing);
    if (isRefused) onDay(null);
  };
  const choose = (chosen: string | null) => {
    setFault(null);
    onDay(chosen);
  };
  return (
    <DateInput
      label={TEXTS.date}
      description={TEXTS.dateHint}
      value={day}
      onChange={choose}
      onInput={(event) => readTyped(event.currentTarget.value)}
      onBlur={() => setTyping(false)}
      dateParser={(text) => findTypedDay(text) ?? null}
      fixOnBlur={fault === null}
      minDate={minDate}
      weekendDays={[]}
      hideOutsideDates
      valueFormat="D MMMM YYYY"
      placeholder={TEXTS.datePlaceholder}
      error={isTyping && error === undefined ? undefined : (fault ?? error)}
      data-field="expiresAt"
      leftSection={<IconCalendar size={16} aria-hidden />}
      popoverProps={{ withinPortal: false }}
      ariaLabels={CALENDAR_TEXTS}
      maw={260}
    />
  );
}
