/** A contract's fields: of a new one, or of one that is there. Only what was changed is written. */

import type { Contract } from "@lineup/api/contracts";
import { SimpleGrid, Stack } from "@mantine/core";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { DayField, PlayerSelect, TeamSelect } from "../records/record-fields.tsx";
import { readDay, writeDay } from "../records/typed-moments.ts";
import { bindField, pickChanged, useRecordForm } from "../records/use-record-form.ts";
import { CONTRACT_TEXTS, CONTRACT_FORM_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";
import { bodyOfTerms, type ContractTerms, checkTerms, newTerms, termsOf } from "./contract-terms.ts";
import { ContractTermsFields } from "./contract-terms-fields.tsx";
import { STATUSES } from "./contracts-search.ts";

const { facts } = CONTRACT_TEXTS;
const NEW_STATUSES = ["draft", "pending", "active"] as const;

interface NewContractForm extends ContractTerms {
  playerId: string | null;
  teamId: string | null;
}

export interface AddContractDialogProps {
  readonly onClose: () => void;
  readonly onAdded: (id: string) => void;
}

export function AddContractDialog({ onClose, onAdded }: AddContractDialogProps) {
  const { id: orgId } = useOrganization();
  const [today] = useState(() => readDay(writeDay(serverNow())) ?? serverNow());
  const initialValues: NewContractForm = { playerId: null, teamId: null, ...newTerms(today) };
  const { form, onSubmit, isBusy, failure } = useRecordForm("createContract", {
    initialValues,
    validate: (values) => ({
      playerId: values.playerId === null ? TEXTS.playerMissing : null,
      ...checkTerms(values),
    }),
    toInput: (values) => {
      const signedAt = values.status === "active" ? serverNow() : null;
      const { playerId, teamId } = values;
      return { path: { orgId }, body: { ...bodyOfTerms(values), playerId: playerId ?? "", teamId, signedAt } };
    },
    says: TEXTS.added,
    onDone: ({ id }) => onAdded(id),
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.addTitle} onClose={onClose} size="lg">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <PlayerSelect
              label={TEXTS.player}
              required
              {...bindField<NewContractForm, "playerId">(form, "playerId")}
              data-autofocus
            />
            <TeamSelect label={TEXTS.team} {...bindField<NewContractForm, "teamId">(form, "teamId")} />
          </SimpleGrid>
          <ContractTermsFields form={form} statuses={NEW_STATUSES} />
          <FormError failure={failure} />
          <FormButtons submit={TEXTS.submitAdd} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}

interface EditContractForm extends ContractTerms {
  teamId: string | null;
  signedAt: number | null;
  terminatedAt: number | null;
}

export interface EditContractDialogProps {
  readonly contract: Contract;
  readonly onClose: () => void;
}

export function EditContractDialog({ contract, onClose }: EditContractDialogProps) {
  const { id: orgId } = useOrganization();
  // As it was when the dialog opened: what others change while it is open must not slip in under what is written here.
  const [seen] = useState(contract);
  const { teamId, signedAt, terminatedAt } = seen;
  const initialValues: EditContractForm = { ...termsOf(seen), teamId, signedAt, terminatedAt };
  const { form, onSubmit, isBusy, failure } = useRecordForm("updateContract", {
    initialValues,
    validate: checkTerms,
    toInput: (values) => {
      const changed = pickChanged(bodyOfEdit(initialValues), bodyOfEdit(values));
      if (Object.keys(changed).length === 0) return undefined;
      return { path: { orgId, recordId: seen.id }, body: { ...changed, updatedAt: seen.updatedAt } };
    },
    says: TEXTS.saved,
    undo: "fields",
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.editTitle(seen.playerIgn)} onClose={onClose} size="lg">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <TeamSelect label={TEXTS.team} {...bindField<EditContractForm, "teamId">(form, "teamId")} data-autofocus />
          <ContractTermsFields form={form} statuses={STATUSES} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <DayField label={facts.signedAt} {...bindField<EditContractForm, "signedAt">(form, "signedAt")} />
            <DayField
              label={facts.terminatedAt}
              {...bindField<EditContractForm, "terminatedAt">(form, "terminatedAt")}
            />
          </SimpleGrid>
          <FormError failure={failure} />
          <FormButtons submit={COMMON_TEXTS.save} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}

function bodyOfEdit({ teamId, signedAt, terminatedAt, ...terms }: EditContractForm) {
  return { ...bodyOfTerms(terms as ContractTerms), teamId, signedAt, terminatedAt };
}
