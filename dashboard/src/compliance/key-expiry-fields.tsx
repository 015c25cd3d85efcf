import { Alert, Radio, Stack, Text } from "@mantine/core";
import { DateInput } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import { IconAlertTriangle, IconCalendar } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { serverNow } from "../client/server-clock.ts";
import { CREATE_KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { CALENDAR_TEXTS } from "../texts/request-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { EXPIRY_DAYS, type ExpiryChoice, firstDay, resolveExpiry } from "./key-expiry.ts";

export interface KeyExpiryFieldsProps {
  readonly choice: ExpiryChoice;
  readonly day: string | null;
  readonly onChoose: (choice: ExpiryChoice) => void;
  readonly onDay: (day: string | null) => void;
  readonly error?: ReactNode;
}

/** When the key ends: after some days, on a day, or never. */
export function KeyExpiryFields({ choice, day, onChoose, onDay, error }: KeyExpiryFieldsProps) {
  const endsAt = resolveExpiry(choice, day, serverNow());
  return (
    <Stack gap="sm">
      <Radio.Group label={TEXTS.expiry} value={choice} onChange={(value) => onChoose(value as ExpiryChoice)}>
        <Stack gap={8} mt="xs">
          {EXPIRY_DAYS.map((days) => (
            <Radio key={days} value={String(days)} label={TEXTS.inDays(days)} />
          ))}
          <Radio value="date" label={TEXTS.onDate} />
          <Radio value="never" label={TEXTS.never} />
        </Stack>
      </Radio.Group>
      {choice === "date" && (
        <DateInput
          label={TEXTS.date}
          description={TEXTS.dateHint}
          value={day}
          onChange={onDay}
          minDate={firstDay(serverNow())}
          weekendDays={[]}
          hideOutsideDates
          valueFormat="D MMMM YYYY"
          placeholder={TEXTS.datePlaceholder}
          error={error}
          data-field="expiresAt"
          leftSection={<IconCalendar size={16} aria-hidden />}
          popoverProps={{ withinPortal: false }}
          ariaLabels={CALENDAR_TEXTS}
          maw={260}
        />
      )}
      {choice === "never" ? (
        <Alert
          color="amber"
          variant="light"
          role="status"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title={TEXTS.neverTitle}
        >
          {TEXTS.neverBody}
        </Alert>
      ) : (
        endsAt !== undefined && (
          <Text size="sm" c="dimmed">
            {TEXTS.endsOn} <ExactTime at={endsAt} as="day" />.
          </Text>
        )
      )}
    </Stack>
  );
}
