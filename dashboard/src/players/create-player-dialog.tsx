import type { Player } from "@lineup/api/players";
import { isRoleOf } from "@lineup/api/roles";
import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { RecordDialog } from "../records/record-dialog.tsx";
import { CountrySelect, DayField, RoleSelect, TeamSelect } from "../records/record-fields.tsx";
import { bindField, useRecordForm } from "../records/use-record-form.ts";
import { useRecords } from "../records/use-records.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { CREATE_PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { CONTRACT_CHOICES, STATUS_CHOICES } from "./player-looks.ts";

type Values = {
  ign: string;
  realName: string;
  teamId: string | null;
  role: string | null;
  status: Player["status"];
  contractStatus: Player["contractStatus"];
  nationality: string | null;
  joinDate: number | null;
};

const EMPTY: Values = {
  ign: "",
  realName: "",
  teamId: null,
  role: null,
  status: "active",
  contractStatus: "unsigned",
  nationality: null,
  joinDate: null,
};

export function CreatePlayerDialog({ orgId, onClose }: { readonly orgId: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const teams = useRecords("team");
  const gameOf = (teamId: string | null) => (teamId === null ? "Other" : (teams.byId.get(teamId)?.game ?? "Other"));
  const { form, onSubmit, isBusy, failure } = useRecordForm("createPlayer", {
    initialValues: EMPTY,
    validate: {
      ign: requireText,
      role: (role, { teamId }) => {
        if (role !== null && isRoleOf(gameOf(teamId), role)) return null;
        return teamId === null ? TEXTS.missingRoleAlone : TEXTS.missingRole;
      },
    },
    says: TEXTS.done,
    toInput: ({ joinDate, role, ...values }) => ({
      path: { orgId },
      body: {
        ...values,
        role: role ?? "",
        ...(joinDate !== null && { joinDate }),
      },
    }),
    onClose,
    onDone: ({ id }) => {
      onClose();
      // What was typed is saved.
      const params = { orgId, playerId: id };
      void navigate({ to: "/orgs/$orgId/data/players/$playerId", params, ignoreBlocker: true });
    },
  });
  return (
    <RecordDialog title={TEXTS.title} onClose={onClose} size="lg">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
            <TextInput
              label={TEXTS.ign}
              required
              data-autofocus
              autoComplete="off"
              {...bindField<Values, "ign">(form, "ign")}
            />
            <TextInput label={TEXTS.realName} autoComplete="off" {...bindField<Values, "realName">(form, "realName")} />
            <TeamSelect {...bindField<Values, "teamId">(form, "teamId")} />
            <RoleSelect required game={gameOf(form.values.teamId)} {...bindField<Values, "role">(form, "role")} />
            <NativeSelect
              label={TEXTS.status}
              data={[...STATUS_CHOICES]}
              {...bindField<Values, "status">(form, "status")}
            />
            <NativeSelect
              label={TEXTS.contractStatus}
              data={[...CONTRACT_CHOICES]}
              {...bindField<Values, "contractStatus">(form, "contractStatus")}
            />
            <DayField
              label={TEXTS.joinDate}
              description={TEXTS.joinDateHint}
              {...bindField<Values, "joinDate">(form, "joinDate")}
            />
            <CountrySelect label={TEXTS.nationality} {...bindField<Values, "nationality">(form, "nationality")} />
          </SimpleGrid>
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {TEXTS.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </RecordDialog>
  );
}
