import type { KeyView } from "@lineup/api/dashboard/keys";
import type { Permission } from "@lineup/api/permissions";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useActionForm } from "../client/use-action-form.ts";
import { CREATE_KEY_TEXTS } from "../texts/create-key-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { requireName } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { PermissionFields } from "./permission-fields.tsx";

export interface EditKeyDialogProps {
  readonly orgId: string;
  readonly apiKey: KeyView;
  /** What is ticked at first. */
  readonly permissions: readonly Permission[];
  readonly onClose: () => void;
}

export function EditKeyDialog({ orgId, apiKey, permissions, onClose }: EditKeyDialogProps) {
  const { form, onSubmit, isBusy, failure } = useActionForm("updateKey", {
    initialValues: { name: apiKey.name, permissions: [...permissions] },
    validate: {
      name: (name) => (name.trim() === "" ? CREATE_KEY_TEXTS.nameMissing : requireName(name)),
      permissions: (chosen) => (chosen.length === 0 ? CREATE_KEY_TEXTS.permissionsMissing : null),
    },
    toInput: ({ name, permissions: chosen }) => ({
      path: { orgId, keyId: apiKey.id },
      body: { name: name.trim(), permissions: chosen },
    }),
    changes: ["listKeys", "getKey", "getHome"],
    says: TEXTS.saved,
    onDone: onClose,
  });
  return (
    <PlainDialog isOpen title={TEXTS.editTitle} onClose={onClose} size="lg">
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="lg">
          <TextInput
            label={TEXTS.name}
            required
            data-autofocus
            data-field="name"
            autoComplete="off"
            {...form.getInputProps("name")}
          />
          <PermissionFields
            value={form.values.permissions}
            onChange={(chosen) => form.setFieldValue("permissions", chosen)}
            error={form.errors.permissions}
          />
          <Text size="sm" c="dimmed">
            {TEXTS.keepsWorking}
          </Text>
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {COMMON_TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
