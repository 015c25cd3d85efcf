/** Makes a team, or changes one. */

import type { Game } from "@lineup/api/roles";
import type { Team } from "@lineup/api/teams";
import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useOrganization } from "../client/session.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { GameSelect } from "../records/record-fields.tsx";
import { pickChanged, useRecordForm } from "../records/use-record-form.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { DIVISION_NAMES, TEAM_STATUS_NAMES, TEAM_TEXTS as TEXTS } from "../texts/team-texts.ts";
import { FormError } from "../ui/form-error.tsx";

export interface TeamDialogProps {
  /** Undefined for a new one. */
  readonly team: Team | undefined;
  readonly onClose: () => void;
}

type TeamForm = {
  name: string;
  tag: string;
  game: Game;
  division: Team["division"];
  region: string;
  logoUrl: string;
  status: Team["status"];
};

const NEW: TeamForm = {
  name: "",
  tag: "",
  game: "LoL",
  division: "main",
  region: "",
  logoUrl: "",
  status: "active",
};

export function TeamDialog({ team, onClose }: TeamDialogProps) {
  return team === undefined ? <CreateTeam onClose={onClose} /> : <EditTeam team={team} onClose={onClose} />;
}

function CreateTeam({ onClose }: { readonly onClose: () => void }) {
  const { id: orgId } = useOrganization();
  const made = useRecordForm("createTeam", {
    initialValues: NEW,
    validate: { name: requireName },
    toInput: (values) => ({ path: { orgId }, body: bodyOf(values) }),
    says: ({ name }) => TEXTS.created(name),
    onClose,
    onDone: onClose,
  });
  return <TeamFormDialog title={TEXTS.createTitle} submit={TEXTS.submitCreate} {...made} onClose={onClose} />;
}

function EditTeam({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const { id: orgId } = useOrganization();
  const before = formOf(team);
  const edited = useRecordForm("updateTeam", {
    initialValues: before,
    validate: { name: requireName },
    toInput: (values) => {
      const changed = pickChanged(bodyOf(before), bodyOf(values));
      if (Object.keys(changed).length === 0) return undefined;
      return { path: { orgId, recordId: team.id }, body: { ...changed, updatedAt: team.updatedAt } };
    },
    says: ({ name }) => TEXTS.saved(name),
    undo: "fields",
    onClose,
    onDone: onClose,
  });
  return <TeamFormDialog title={TEXTS.editTitle(team.name)} submit={COMMON_TEXTS.save} {...edited} onClose={onClose} />;
}

function requireName(name: string): string | null {
  return name.trim() === "" ? TEXTS.nameNeeded : null;
}

function formOf({ name, tag, game, division, region, logoUrl, status }: Team): TeamForm {
  return { name, tag: tag ?? "", game, division, region: region ?? "", logoUrl: logoUrl ?? "", status };
}

function bodyOf({ tag, region, logoUrl, ...rest }: TeamForm) {
  const orNull = (text: string) => (text.trim() === "" ? null : text);
  return { ...rest, tag: orNull(tag), region: orNull(region), logoUrl: orNull(logoUrl) };
}

interface TeamFormDialogProps extends ReturnType<typeof useRecordForm<"createTeam" | "updateTeam", TeamForm>> {
  readonly title: string;
  readonly submit: string;
  readonly onClose: () => void;
}

function TeamFormDialog({ title, submit, form, onSubmit, isBusy, failure, onClose }: TeamFormDialogProps) {
  const field = (name: keyof TeamForm) => ({ ...form.getInputProps(name), "data-field": name });
  return (
    <RecordDialog title={title} onClose={onClose} size="lg">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <TextInput {...field("name")} label={TEXTS.name} maxLength={200} required data-autofocus autoComplete="off" />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
            <GameSelect {...field("game")} value={form.values.game} description={TEXTS.gameHint} />
            <TextInput {...field("tag")} label={TEXTS.tag} description={TEXTS.tagHint} autoComplete="off" />
            <NativeSelect {...field("division")} label={TEXTS.division} data={choicesOf(DIVISION_NAMES)} />
            <NativeSelect {...field("status")} label={TEXTS.status} data={choicesOf(TEAM_STATUS_NAMES)} />
            <TextInput {...field("region")} label={TEXTS.region} description={TEXTS.regionHint} autoComplete="off" />
            <TextInput {...field("logoUrl")} label={TEXTS.logoUrl} description={TEXTS.logoUrlHint} type="url" />
          </SimpleGrid>
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </RecordDialog>
  );
}

function choicesOf(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
