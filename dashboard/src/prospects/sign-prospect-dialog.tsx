/** Makes a player of a prospect, with a team, a role and a contract, in one step; or only says that they are signed. */

import type { Prospect } from "@lineup/api/prospects";
import { type Game, isRoleOf } from "@lineup/api/roles";
import { Button, SimpleGrid, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { bodyOfTerms, type ContractTerms, checkTerms, newTerms } from "../contracts/contract-terms.ts";
import { ContractTermsFields } from "../contracts/contract-terms-fields.tsx";
import { RecordDialog } from "../records/record-dialog.tsx";
import { DayField, RoleSelect, TeamSelect } from "../records/record-fields.tsx";
import { readDay, writeDay } from "../records/typed-moments.ts";
import { bindField, useRecordForm } from "../records/use-record-form.ts";
import { useRecords } from "../records/use-records.ts";
import { SIGN_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";

const SIGNED_STATUSES = ["active", "pending", "draft"] as const;
/** The role is one of the team's game; without a team, one of these. */
const TEAMLESS: Game = "Other";

interface SignForm extends ContractTerms {
  teamId: string | null;
  role: string | null;
  joinDate: number | null;
  withContract: boolean;
}

export interface SignProspectDialogProps {
  readonly prospect: Prospect;
  /** Undefined where the prospect is in that stage already. */
  readonly onStageOnly: (() => void) | undefined;
  readonly onClose: () => void;
}

export function SignProspectDialog({ prospect, onStageOnly, onClose }: SignProspectDialogProps) {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team");
  const [seen] = useState(prospect);
  const [today] = useState(() => readDay(writeDay(serverNow())) ?? serverNow());
  const gameOf = (teamId: string | null): Game => teams.byId.get(teamId ?? "")?.game ?? TEAMLESS;
  const initialValues: SignForm = {
    ...newTerms(today),
    status: "active",
    teamId: seen.targetTeamId,
    role: seen.role,
    joinDate: today,
    withContract: true,
  };
  const { form, onSubmit, isBusy, failure } = useRecordForm("signProspect", {
    initialValues,
    validate: (values) => ({
      role: values.role !== null && isRoleOf(gameOf(values.teamId), values.role) ? null : TEXTS.roleMissing,
      ...(values.withContract ? checkContract(values) : {}),
    }),
    toInput: ({ teamId, role, joinDate, withContract, ...terms }) => ({
      path: { orgId, recordId: seen.id },
      body: {
        teamId,
        ...(role !== null && { role }),
        ...(joinDate !== null && { joinDate }),
        ...(withContract && { contract: bodyOfSigning(terms as ContractTerms) }),
        updatedAt: seen.updatedAt,
      },
    }),
    says: TEXTS.done(seen.ign),
    onDone: onClose,
    onClose,
  });
  const join = bindField<SignForm, "joinDate">(form, "joinDate");
  const onJoinDate = (joinDate: number | null) => {
    const { startDate, joinDate: before } = form.values;
    // Until somebody says otherwise, the contract starts with them.
    if (startDate === (before ?? today)) form.setFieldValue("startDate", joinDate ?? today);
    join.onChange(joinDate);
  };
  return (
    <RecordDialog title={TEXTS.title(seen.ign)} onClose={onClose} size="lg">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.body}</Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TeamSelect label={TEXTS.team} {...bindField<SignForm, "teamId">(form, "teamId")} data-autofocus />
            <RoleSelect
              label={TEXTS.role}
              required
              game={gameOf(form.values.teamId)}
              {...bindField<SignForm, "role">(form, "role")}
            />
            <DayField label={TEXTS.joinDate} {...join} onChange={onJoinDate} />
          </SimpleGrid>
          <Switch
            label={TEXTS.withContract}
            checked={form.values.withContract}
            onChange={(event) => form.setFieldValue("withContract", event.currentTarget.checked)}
          />
          {form.values.withContract && <ContractTermsFields form={form} statuses={SIGNED_STATUSES} />}
          <FormError failure={failure} />
          <FormButtons submit={TEXTS.submit} isBusy={isBusy} onClose={onClose}>
            {onStageOnly !== undefined && (
              <Button variant="subtle" onClick={onStageOnly} mr="auto">
                {TEXTS.stageOnly}
              </Button>
            )}
          </FormButtons>
        </Stack>
      </form>
    </RecordDialog>
  );
}

/** It may have begun before they join, but not be over by then. */
function checkContract(values: SignForm) {
  const faults = checkTerms(values);
  const { endDate, joinDate } = values;
  const isOver = endDate !== null && joinDate !== null && endDate < joinDate;
  return { ...faults, endDate: faults.endDate ?? (isOver ? TEXTS.endBeforeJoining : null) };
}

/** A contract that is active from the start was signed now. */
function bodyOfSigning(terms: ContractTerms) {
  return { ...bodyOfTerms(terms), ...(terms.status === "active" && { signedAt: serverNow() }) };
}
