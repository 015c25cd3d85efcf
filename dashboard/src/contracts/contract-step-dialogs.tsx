/** What can be done with a contract beside editing it: sign, renew, terminate. Each builds on the version that was seen when it was opened. */

import type { Contract } from "@lineup/api/contracts";
import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { DayField } from "../records/record-fields.tsx";
import { readDay, writeDay } from "../records/typed-moments.ts";
import { bindField, useRecordForm } from "../records/use-record-form.ts";
import { useRecords } from "../records/use-records.ts";
import { CONTRACT_STATUS_NAMES, STEP_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { FormButtons } from "../ui/form-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";
import { sayUtcDay } from "../ui/time-words.ts";
import { findNextContract } from "./contract-decisions.ts";
import { sayNext } from "./contract-words.ts";

export interface StepDialogProps {
  readonly contract: Contract;
  readonly onClose: () => void;
}

const startOfToday = () => readDay(writeDay(serverNow())) ?? serverNow();

/** What happened today happened now: a day alone would lie before the contract that was written this morning. */
const momentOf = (day: number | null) => (day === null || day === startOfToday() ? undefined : day);

interface DayForm extends Record<string, unknown> {
  day: number | null;
}

export function SignContractDialog({ contract, onClose }: StepDialogProps) {
  const { id: orgId } = useOrganization();
  const [seen] = useState(contract);
  const [today] = useState(startOfToday);
  const initialValues: DayForm = { day: today };
  const { form, onSubmit, isBusy, failure } = useRecordForm("signContract", {
    initialValues,
    toInput: ({ day }) => {
      const signedAt = momentOf(day);
      const body = { ...(signedAt !== undefined && { signedAt }), updatedAt: seen.updatedAt };
      return { path: { orgId, recordId: seen.id }, body };
    },
    says: TEXTS.signed,
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.signTitle(seen.playerIgn)} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.signBody}</Text>
          <DayField label={TEXTS.signedAt} {...bindField<DayForm, "day">(form, "day")} data-autofocus />
          <FormError failure={failure} />
          <FormButtons submit={TEXTS.signSubmit} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}

const RENEWED_STATUSES = ["draft", "pending", "active"] as const;

interface RenewForm extends Record<string, unknown> {
  endDate: number | null;
  status: (typeof RENEWED_STATUSES)[number];
}

/** A contract without an end cannot be renewed; the button is not offered then. */
export function RenewContractDialog({ contract, onClose }: StepDialogProps) {
  const { id: orgId } = useOrganization();
  const [seen] = useState(contract);
  const start = seen.endDate ?? serverNow();
  const { all } = useRecords("contract");
  // As it was when the dialog opened: what it makes itself is there before it is closed.
  const [next] = useState(() => findNextContract(seen, all ?? []));
  const initialValues: RenewForm = { endDate: yearAfter(start), status: "draft" };
  const { form, onSubmit, isBusy, failure } = useRecordForm("renewContract", {
    initialValues,
    validate: ({ endDate }) => ({ endDate: endDate !== null && endDate < start ? TEXTS.endBeforeStart : null }),
    toInput: ({ endDate, status }) => ({
      path: { orgId, recordId: seen.id },
      body: { endDate, status, updatedAt: seen.updatedAt },
    }),
    says: ({ status }) => TEXTS.renewed(status),
    undo: ({ id, updatedAt }) => ({
      name: "deleteContract",
      input: { path: { orgId, recordId: id }, body: { updatedAt } },
    }),
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.renewTitle(seen.playerIgn)} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">
            {TEXTS.renewBody} {TEXTS.renewStart(sayUtcDay(start))}
          </Text>
          {next !== undefined && (
            <Alert color="amber" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />}>
              {TEXTS.renewAgain(sayNext(next, serverNow()))}
            </Alert>
          )}
          <DayField
            label={TEXTS.renewEnd}
            edge="end"
            {...bindField<RenewForm, "endDate">(form, "endDate")}
            data-autofocus
          />
          <NativeSelect
            label={TEXTS.renewStatus}
            data={RENEWED_STATUSES.map((status) => ({ value: status, label: CONTRACT_STATUS_NAMES[status] }))}
            {...bindField<RenewForm, "status">(form, "status")}
          />
          <FormError failure={failure} />
          <FormButtons submit={TEXTS.renewSubmit} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}

function yearAfter(at: number): number {
  const day = new Date(at);
  return day.setUTCFullYear(day.getUTCFullYear() + 1);
}

/** Its first day is one of its days, whatever the hour at which it begins. */
function findDayFault(day: number | null, startDate: number): string | null {
  if (day === null) return null;
  if (day > serverNow()) return TEXTS.terminatedInFuture;
  return writeDay(day) < writeDay(startDate) ? TEXTS.terminatedBeforeStart(sayUtcDay(startDate)) : null;
}

export function TerminateContractDialog({ contract, onClose }: StepDialogProps) {
  const { id: orgId } = useOrganization();
  const [seen] = useState(contract);
  const [today] = useState(startOfToday);
  const initialValues: DayForm = { day: today };
  const { form, onSubmit, isBusy, failure } = useRecordForm("terminateContract", {
    initialValues,
    validate: ({ day }) => ({ day: findDayFault(day, seen.startDate) }),
    toInput: ({ day }) => {
      const midnight = momentOf(day);
      // Of a contract that began on that day, the day is over when it began.
      const isFirstDay = midnight !== undefined && writeDay(midnight) === writeDay(seen.startDate);
      const terminatedAt = isFirstDay ? seen.startDate : midnight;
      const body = { ...(terminatedAt !== undefined && { terminatedAt }), updatedAt: seen.updatedAt };
      return { path: { orgId, recordId: seen.id }, body };
    },
    says: TEXTS.terminated,
    undo: ({ updatedAt }) => ({
      name: "updateContract",
      input: {
        path: { orgId, recordId: seen.id },
        body: { status: seen.status, terminatedAt: seen.terminatedAt, updatedAt },
      },
    }),
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog title={TEXTS.terminateTitle(seen.playerIgn)} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.terminateBody}</Text>
          <DayField label={TEXTS.terminatedAt} max={today} {...bindField<DayForm, "day">(form, "day")} data-autofocus />
          <FormError failure={failure} />
          <FormButtons submit={TEXTS.terminateSubmit} tone="bad" isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </RecordDialog>
  );
}
