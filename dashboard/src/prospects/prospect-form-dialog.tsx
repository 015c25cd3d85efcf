/** A prospect's fields: of a new one, or of one that is there. Only what was changed is written. */

import type { Prospect } from "@lineup/api/prospects";
import { NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { useOrganization } from "../client/session.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { DayField, GameSelect, RoleSelect, TeamSelect } from "../records/record-fields.tsx";
import { bindField, pickChanged, useRecordForm } from "../records/use-record-form.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { PRIORITY_NAMES, PROSPECT_TEXTS, STAGE_NAMES, PROSPECT_FORM_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";
import { bodyOfProspect, checkProspect, formOfProspect, NEW_PROSPECT, type ProspectForm } from "./prospect-form.ts";
import { PRIORITIES, STAGES } from "./prospects-search.ts";

interface FormDialogProps {
  readonly onClose: () => void;
}

export function AddProspectDialog({ onClose, onAdded }: FormDialogProps & { readonly onAdded: (id: string) => void }) {
  const { id: orgId } = useOrganization();
  const { form, onSubmit, isBusy, failure } = useRecordForm("createProspect", {
    initialValues: NEW_PROSPECT,
    validate: checkProspect,
    toInput: (values) => ({ path: { orgId }, body: bodyOfProspect(values) }),
    says: ({ ign }) => TEXTS.added(ign),
    onDone: ({ id }) => onAdded(id),
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.addTitle} onClose={onClose} size="xl">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <ProspectFields form={form} />
          <FormError failure={failure} />
          <FormButtons submit={TEXTS.submitAdd} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}

export function EditProspectDialog({ prospect, onClose }: FormDialogProps & { readonly prospect: Prospect }) {
  const { id: orgId } = useOrganization();
  // As it was when the dialog opened: what others change while it is open must not slip in under what is written here.
  const [seen] = useState(prospect);
  const initial = formOfProspect(seen);
  const { form, onSubmit, isBusy, failure } = useRecordForm("updateProspect", {
    initialValues: initial,
    validate: checkProspect,
    toInput: (values) => {
      const changed = pickChanged(bodyOfProspect(initial), bodyOfProspect(values));
      if (Object.keys(changed).length === 0) return undefined;
      return { path: { orgId, recordId: seen.id }, body: { ...changed, updatedAt: seen.updatedAt } };
    },
    says: TEXTS.saved,
    undo: "fields",
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.editTitle(seen.ign)} onClose={onClose} size="xl">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <ProspectFields form={form} />
          <FormError failure={failure} />
          <FormButtons submit={COMMON_TEXTS.save} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}

type FieldsForm = UseFormReturnType<ProspectForm>;
type FieldName = keyof typeof NEW_PROSPECT & string;

function ProspectFields({ form }: { readonly form: FieldsForm }) {
  const props = <K extends FieldName>(name: K) => bindField<ProspectForm, K>(form, name);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label={TEXTS.ign} {...props("ign")} required data-autofocus autoComplete="off" />
        <TextInput label={TEXTS.realName} {...props("realName")} autoComplete="off" />
        <GameSelect label={TEXTS.game} {...props("game")} />
        <RoleSelect label={TEXTS.role} game={form.values.game} none={PROSPECT_TEXTS.unknown} {...props("role")} />
        <NativeSelect
          label={TEXTS.stage}
          data={STAGES.map((stage) => ({ value: stage, label: STAGE_NAMES[stage] }))}
          {...props("stage")}
        />
        <NativeSelect
          label={TEXTS.priority}
          data={PRIORITIES.map((priority) => ({ value: priority, label: PRIORITY_NAMES[priority] }))}
          {...props("priority")}
        />
        <TextInput label={TEXTS.rating} placeholder={TEXTS.ratingHint} inputMode="decimal" {...props("rating")} />
        <TextInput label={TEXTS.assignedTo} {...props("assignedTo")} />
        <TextInput label={TEXTS.currentTeam} {...props("currentTeam")} />
        <DayField label={TEXTS.contractEndDate} {...props("contractEndDate")} />
        <TeamSelect label={TEXTS.targetTeam} {...props("targetTeamId")} />
        <DayField label={TEXTS.lastContactAt} {...props("lastContactAt")} />
        <TextInput label={TEXTS.nationality} {...props("nationality")} />
        <TextInput label={TEXTS.region} {...props("region")} />
        <TextInput label={TEXTS.source} placeholder={TEXTS.sourceHint} {...props("source")} />
        <TextInput label={TEXTS.tags} placeholder={TEXTS.tagsHint} {...props("tags")} />
      </SimpleGrid>
      <Textarea label={TEXTS.notes} autosize minRows={3} maxRows={12} {...props("notes")} />
    </>
  );
}
