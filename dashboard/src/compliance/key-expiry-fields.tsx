import { Alert, Radio, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { serverNow } from "../client/server-clock.ts";
import { CREATE_KEY_TEXTS as TEXTS } from "../texts/create-key-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { ExpiryDayField } from "./expiry-day-field.tsx";
import { EXPIRY_DAYS, type ExpiryChoice, resolveExpiry } from "./key-expiry.ts";

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
      {choice === "date" && <ExpiryDayField day={day} onDay={onDay} error={error} />}
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
            {choice === "date" ? TEXTS.worksUntil : TEXTS.endsOn} <ExactTime at={endsAt} as="day" />
            {choice === "date" && ` ${TEXTS.yourTime}`}.
          </Text>
        )
      )}
    </Stack>
  );
}
