/**
 * A form that writes a record. Faults of fields stand at the fields, as with `useActionForm`; where somebody else has changed the record meanwhile
 * the form closes, and the dialog that shows both versions goes on from there.
 */
import type { ActionName } from "@lineup/api/dashboard/actions";
import { type FormValidateInput, type UseFormReturnType, useForm } from "@mantine/form";
import type { ActionInput } from "../client/call-action.ts";
import { fieldErrorsOf } from "../client/request-failure.ts";
import { focusFirst, isAtFields } from "../client/use-action-form.ts";
import { type RecordWriteOptions, useRecordWrite } from "./use-record-write.ts";

export interface RecordFormOptions<N extends ActionName, Values> extends Omit<RecordWriteOptions<N>, "failure"> {
  readonly initialValues: Values;
  readonly validate?: FormValidateInput<Values>;
  /** Undefined where there is nothing to write: then it is done. */
  readonly toInput: (values: Values) => ActionInput<N> | undefined;
  readonly onClose: () => void;
}

export function useRecordForm<N extends ActionName, Values extends Record<string, unknown>>(
  name: N,
  { initialValues, validate, toInput, onClose, ...write }: RecordFormOptions<N, Values>,
) {
  const form = useForm<Values>({ initialValues, ...(validate === undefined ? {} : { validate }) });
  const mutation = useRecordWrite(name, { ...write, failure: "shown" });
  const onSubmit = form.onSubmit(
    (values) => {
      const input = toInput(values);
      if (input === undefined) return onClose();
      mutation.mutate(input, {
        onError: (failure) => {
          if (failure.current !== undefined) return onClose();
          const errors = fieldErrorsOf(failure);
          form.setErrors(errors);
          focusFirst(Object.keys(errors));
        },
      });
    },
    (errors) => focusFirst(Object.keys(errors)),
  );
  const failure = isAtFields(mutation.error, initialValues) ? null : mutation.error;
  return { form, onSubmit, isBusy: mutation.isPending, failure };
}

/** Of what a form holds, what is other than it was when it was opened: what others write into other fields meanwhile stays. */
export function pickChanged<T extends object>(before: T, after: T): Partial<T> {
  const changed = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof T]),
  );
  return Object.fromEntries(changed) as Partial<T>;
}

/** What a field of a form needs: those of `record-fields.tsx`, and Mantine's own. */
export function bindField<Values extends Record<string, unknown>, K extends keyof Values & string>(
  form: UseFormReturnType<Values>,
  name: K,
) {
  const { onChange, error } = form.getInputProps(name);
  return { value: form.values[name], onChange, error, "data-field": name };
}
