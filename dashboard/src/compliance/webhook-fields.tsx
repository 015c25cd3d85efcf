import { Radio, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { CREATE_WEBHOOK_TEXTS as TEXTS } from "../texts/create-webhook-texts.ts";
import { ChangeTypeFields } from "./change-type-fields.tsx";
import type { WebhookForm } from "./webhook-form.ts";

export interface WebhookFieldsProps {
  readonly form: UseFormReturnType<WebhookForm>;
  /** In a dialog the first field gets the focus. */
  readonly isDialog?: boolean;
}

/** Address, description, and what it is told of. */
export function WebhookFields({ form, isDialog = false }: WebhookFieldsProps) {
  const { isAll, types } = form.values;
  return (
    <Stack gap="xl">
      <TextInput
        label={TEXTS.url}
        description={TEXTS.urlHint}
        placeholder={TEXTS.urlPlaceholder}
        required
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        data-autofocus={isDialog || undefined}
        data-field="url"
        {...form.getInputProps("url")}
      />
      <TextInput
        label={TEXTS.description}
        description={TEXTS.descriptionHint}
        placeholder={TEXTS.descriptionPlaceholder}
        autoComplete="off"
        data-field="description"
        {...form.getInputProps("description")}
      />
      <Radio.Group
        label={TEXTS.types}
        value={isAll ? "all" : "chosen"}
        onChange={(value) => form.setFieldValue("isAll", value === "all")}
      >
        <Stack gap={8} mt="xs">
          <Radio value="all" label={TEXTS.all} description={TEXTS.allHint} />
          <Radio value="chosen" label={TEXTS.chosen} description={TEXTS.chosenHint} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <ChangeTypeFields
          value={types}
          onChange={(chosen) => form.setFieldValue("types", chosen)}
          error={form.errors.types}
        />
      )}
    </Stack>
  );
}
