import { Checkbox, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useOrganization } from "../client/session.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { TeamSelect } from "../records/record-fields.tsx";
import { CALENDAR_KINDS, CALENDAR_TEXTS as TEXTS } from "../texts/calendar-texts.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";
import { EVENT_KINDS, type EventKind } from "./schedule-search.ts";

export interface CalendarLinkFormProps {
  readonly onMade: (link: string) => void;
  readonly onClose: () => void;
}

interface Wanted extends Record<string, unknown> {
  name: string;
  teamId: string | null;
  kinds: EventKind[];
  contractEnds: boolean;
}

export function CalendarLinkForm({ onMade, onClose }: CalendarLinkFormProps) {
  const { id: orgId, name: organization } = useOrganization();
  const initialValues: Wanted = { name: organization, teamId: null, kinds: [...EVENT_KINDS], contractEnds: false };
  const { form, onSubmit, isBusy, failure } = useActionForm("createCalendarLink", {
    initialValues,
    validate: {
      name: (name) => (name.trim() === "" ? TEXTS.nameMissing : null),
      kinds: (kinds, { contractEnds }) => (kinds.length === 0 && !contractEnds ? TEXTS.kindsMissing : null),
    },
    toInput: ({ name, ...wanted }) => ({ path: { orgId }, body: { name: name.trim(), ...wanted } }),
    changes: ["listCalendarLinks", "listMemberCalendarLinks"],
    onDone: ({ link }) => onMade(link),
  });
  const { teamId, kinds, contractEnds } = form.values;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text size="sm">{TEXTS.body}</Text>
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          maxLength={200}
          autoComplete="off"
          data-autofocus
          data-field="name"
          {...form.getInputProps("name")}
        />
        <TeamSelect
          label={TEXTS.team}
          none={TEXTS.allTeams}
          value={teamId}
          onChange={(value) => form.setFieldValue("teamId", value)}
          error={form.errors.teamId}
          data-field="teamId"
        />
        <Checkbox.Group<EventKind>
          label={TEXTS.kinds}
          value={kinds}
          error={form.errors.kinds}
          onChange={(chosen) => form.setFieldValue("kinds", chosen)}
        >
          <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="md" my="xs">
            {EVENT_KINDS.map((kind, place) => (
              <Checkbox
                key={kind}
                value={kind}
                label={CALENDAR_KINDS[kind]}
                data-field={place === 0 ? "kinds" : undefined}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Checkbox
          label={TEXTS.contractEnds}
          description={TEXTS.contractEndsHint}
          checked={contractEnds}
          onChange={(event) => form.setFieldValue("contractEnds", event.currentTarget.checked)}
        />
        <FormError failure={failure} />
        <FormButtons submit={TEXTS.submit} isBusy={isBusy} onClose={onClose} />
      </Stack>
    </form>
  );
}
