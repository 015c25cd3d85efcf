import type { Tier } from "@lineup/api/tiers";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useActionForm } from "../client/use-action-form.ts";
import { MadeLink } from "../settings/made-link.tsx";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { requireEmail, requireName } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { TierFields } from "./tier-fields.tsx";

/** Name, tier and first owner; then the owner's link, this once. */
export function CreateOrganizationDialog({ onClose }: { readonly onClose: () => void }) {
  const { form, onSubmit, isBusy, failure, mutation } = useActionForm("createOrganization", {
    initialValues: { name: "", ownerEmail: "", tier: "Free" as Tier },
    validate: { name: requireName, ownerEmail: requireEmail },
    toInput: ({ name, ownerEmail, tier }) => ({
      body: { name: name.trim(), ownerEmail: ownerEmail.trim(), tier },
    }),
    changes: ["listOrganizations"],
  });
  const { ownerEmail, tier } = form.values;
  if (mutation.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.created} onClose={onClose}>
        <MadeLink made={mutation.data} email={ownerEmail.trim()} onDone={onClose} />
      </PlainDialog>
    );
  }
  return (
    <PlainDialog isOpen title={TEXTS.createTitle} onClose={onClose}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.createBody}</Text>
          <TextInput
            label={TEXTS.name}
            required
            data-autofocus
            data-field="name"
            autoComplete="off"
            {...form.getInputProps("name")}
          />
          <TextInput
            label={TEXTS.ownerEmail}
            type="email"
            maxLength={200}
            required
            autoComplete="off"
            data-field="ownerEmail"
            {...form.getInputProps("ownerEmail")}
          />
          <TierFields value={tier} onChange={(chosen) => form.setFieldValue("tier", chosen)} />
          <FormError failure={failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {TEXTS.createSubmit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
