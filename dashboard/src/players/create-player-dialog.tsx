import type { Player } from "@lineup/api/players";
import { isRoleOf } from "@lineup/api/roles";
import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { fieldErrorsOf } from "../client/request-failure.ts";
import { DayField, RoleSelect, TeamSelect } from "../records/record-fields.tsx";
import { useRecordWrite } from "../records/use-record-write.ts";
import { useRecords } from "../records/use-records.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { CREATE_PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { CONTRACT_CHOICES, STATUS_CHOICES } from "./player-looks.ts";

interface Values {
  ign: string;
  realName: string;
  teamId: string | null;
  role: string | null;
  status: Player["status"];
  contractStatus: Player["contractStatus"];
  nationality: string;
  joinDate: number | null;
}

const EMPTY: Values = {
  ign: "",
  realName: "",
  teamId: null,
  role: null,
  status: "active",
  contractStatus: "unsigned",
  nationality: "",
  joinDate: null,
};

export function CreatePlayerDialog({ orgId, onClose }: { readonly orgId: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const teams = useRecords("team");
  const gameOf = (teamId: string | null) => (teamId === null ? "Other" : (teams.byId.get(teamId)?.game ?? "Other"));
  const form = useForm<Values>({
    initialValues: EMPTY,
    validate: {
      ign: requireText,
      role: (role, { teamId }) => (role !== null && isRoleOf(gameOf(teamId), role) ? null : TEXTS.missingRole),
    },
  });
  const write = useRecordWrite("createPlayer", {
    says: TEXTS.done,
    failure: "shown",
    onDone: ({ id }) => {
      onClose();
      void navigate({ to: "/orgs/$orgId/data/players/$playerId", params: { orgId, playerId: id } });
    },
  });
  const submit = form.onSubmit(({ joinDate, nationality, role, ...values }) =>
    write.mutate(
      {
        path: { orgId },
        body: {
          ...values,
          role: role ?? "",
          nationality: nationality.trim() === "" ? null : nationality.trim().toUpperCase(),
          ...(joinDate !== null && { joinDate }),
        },
      },
      { onError: (failure) => form.setErrors(fieldErrorsOf(failure)) },
    ),
  );
  return (
    <PlainDialog isOpen title={TEXTS.title} onClose={onClose} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
            <TextInput label={TEXTS.ign} required data-autofocus autoComplete="off" {...form.getInputProps("ign")} />
            <TextInput label={TEXTS.realName} autoComplete="off" {...form.getInputProps("realName")} />
            <TeamSelect {...form.getInputProps("teamId")} value={form.values.teamId} />
            <RoleSelect
              required
              game={gameOf(form.values.teamId)}
              {...form.getInputProps("role")}
              value={form.values.role}
            />
            <NativeSelect label={TEXTS.status} data={[...STATUS_CHOICES]} {...form.getInputProps("status")} />
            <NativeSelect
              label={TEXTS.contractStatus}
              data={[...CONTRACT_CHOICES]}
              {...form.getInputProps("contractStatus")}
            />
            <DayField
              label={TEXTS.joinDate}
              description={TEXTS.joinDateHint}
              {...form.getInputProps("joinDate")}
              value={form.values.joinDate}
            />
            <TextInput
              label={TEXTS.nationality}
              description={TEXTS.nationalityHint}
              maxLength={2}
              autoComplete="off"
              {...form.getInputProps("nationality")}
            />
          </SimpleGrid>
          <FormError failure={write.error !== null && write.error.details.length === 0 ? write.error : null} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={write.isPending}>
              {TEXTS.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
