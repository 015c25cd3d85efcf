import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCalendarPlus } from "@tabler/icons-react";
import { CALENDAR_TEXTS as TEXTS } from "../texts/calendar-texts.ts";
import { CopyField } from "../ui/copy-button.tsx";

/** A calendar link, shown this once, and where it goes. */
export function MadeCalendarLink({ link, onDone }: { readonly link: string; readonly onDone: () => void }) {
  return (
    <Stack gap="md">
      <Alert role="note" color="amber" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />}>
        {TEXTS.once}
      </Alert>
      <CopyField label={TEXTS.link} value={link} wraps />
      <Group>
        {/* The scheme that calendar programs take for theirs. */}
        <Button
          component="a"
          href={link.replace(/^https?:/, "webcal:")}
          variant="default"
          leftSection={<IconCalendarPlus size={16} aria-hidden />}
        >
          {TEXTS.open}
        </Button>
      </Group>
      <div>
        <Text size="sm" fw={600} mb={4}>
          {TEXTS.howTo}
        </Text>
        <List size="sm" spacing={4}>
          {TEXTS.ways.map(({ program, way }) => (
            <List.Item key={program}>
              <strong>{program}</strong>: {way}
            </List.Item>
          ))}
        </List>
      </div>
      <Text size="sm" c="dimmed">
        {TEXTS.delay}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>{TEXTS.done}</Button>
      </Group>
    </Stack>
  );
}
