/**
 * A form whose sending is an action. What the server finds wrong with a field stands at that field, and the first of them gets the focus.
 *
 *   const { form, onSubmit, isBusy, failure } = useActionForm("renameOrganization", {
 *     initialValues: { name },
 *     toInput: ({ name }) => ({ path: { orgId }, body: { name } }),
 *     changes: ["getOrganization"], says: "Renamed.",
 *   });
 *   <form onSubmit={onSubmit}> <TextInput {...form.getInputProps("name")} data-field="name" /> <FormError failure={failure} /> …
 */
import type { ActionName } from "@lineup/api/dashboard/actions";
import { type FormValidateInput, useForm } from "@mantine/form";
import type { ActionInput } from "./call-action.ts";
import { fieldErrorsOf, type RequestFailure } from "./request-failure.ts";
import { type ChangeOptions, useActionMutation } from "./use-action.ts";

export interface ActionFormOptions<N extends ActionName, Values> extends Omit<ChangeOptions<N>, "failure"> {
  readonly initialValues: Values;
  readonly validate?: FormValidateInput<Values>;
  readonly toInput: (values: Values) => ActionInput<N>;
}

export function useActionForm<N extends ActionName, Values extends Record<string, unknown>>(
  name: N,
  { initialValues, validate, toInput, ...change }: ActionFormOptions<N, Values>,
) {
  const form = useForm<Values>({ initialValues, ...(validate === undefined ? {} : { validate }) });
  const mutation = useActionMutation(name, { ...change, failure: "shown" });
  const onSubmit = form.onSubmit(
    (values) =>
      mutation.mutate(toInput(values), {
        onError: (failure) => {
          const errors = fieldErrorsOf(failure);
          form.setErrors(errors);
          focusFirst(Object.keys(errors));
        },
      }),
    (errors) => focusFirst(Object.keys(errors)),
  );
  const failure = isAtFields(mutation.error, initialValues) ? null : mutation.error;
  return { form, onSubmit, isBusy: mutation.isPending, failure, mutation };
}

/** Whether all that is wrong stands at a field of the form already, and need not be said twice. */
export function isAtFields(failure: RequestFailure | null, fields: Record<string, unknown>): boolean {
  const details = failure?.details ?? [];
  return details.length > 0 && details.every(({ field }) => field in fields);
}

export function focusFirst(fields: readonly string[]): void {
  const [first] = fields;
  if (first !== undefined) document.querySelector<HTMLElement>(`[data-field="${CSS.escape(first)}"]`)?.focus();
}
