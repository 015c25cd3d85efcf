/** The fields of a contract's terms, in the forms that ask for them. */
import { NativeSelect, SimpleGrid, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { DayField } from "../records/record-fields.tsx";
import { bindField } from "../records/use-record-form.ts";
import { CONTRACT_STATUS_NAMES, CONTRACT_FORM_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import type { ContractTerms } from "./contract-terms.ts";
import { type ContractStatus, KINDS } from "./contracts-search.ts";

export interface ContractTermsFieldsProps<V extends ContractTerms> {
  readonly form: UseFormReturnType<V>;
  /** Those that may be chosen. */
  readonly statuses: readonly ContractStatus[];
}

export function ContractTermsFields<V extends ContractTerms>({ form, statuses }: ContractTermsFieldsProps<V>) {
  // A form of terms and more is one of terms.
  const terms = form as unknown as UseFormReturnType<ContractTerms>;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NativeSelect
          label={TEXTS.kind}
          data={KINDS.map((kind) => ({ value: kind, label: CONTRACT_KIND_NAMES[kind] }))}
          {...bindField<ContractTerms, "kind">(terms, "kind")}
        />
        <NativeSelect
          label={TEXTS.status}
          data={statuses.map((status) => ({ value: status, label: CONTRACT_STATUS_NAMES[status] }))}
          {...bindField<ContractTerms, "status">(terms, "status")}
        />
        <DayField label={TEXTS.startDate} required {...bindField<ContractTerms, "startDate">(terms, "startDate")} />
        <DayField label={TEXTS.endDate} edge="end" {...bindField<ContractTerms, "endDate">(terms, "endDate")} />
        <TextInput
          label={TEXTS.notice}
          inputMode="numeric"
          {...bindField<ContractTerms, "noticePeriodDays">(terms, "noticePeriodDays")}
        />
      </SimpleGrid>
      <Switch
        label={TEXTS.autoRenew}
        checked={terms.values.autoRenew}
        onChange={(event) => terms.setFieldValue("autoRenew", event.currentTarget.checked)}
        data-field="autoRenew"
      />
    </>
  );
}
