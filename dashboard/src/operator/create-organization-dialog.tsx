import type { Tier } from "@lineup/api/tiers";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fieldErrorsOf, type RequestFailure } from "../client/request-failure.ts";
import { useActionMutation } from "../client/use-action.ts";
import { MadeLink } from "../settings/made-link.tsx";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { OPERATOR_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { requireEmail, requireText } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { TierFields } from "./tier-fields.tsx";

/** Name, tier and first owner; then the owner's link, this once. */
export function CreateOrganizationDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useForm<{ name: string; ownerEmail: string; tier: Tier }>({
    initialValues: { name: "", ownerEmail: "", tier: "Free" },
    validate: { name: requireText, ownerEmail: requireEmail },
  });
  const create = useActionMutation("createOrganization", { failure: "shown", changes: ["listOrganizations"] });
  const { name, ownerEmail, tier } = form.values;
  if (create.data !== undefined) {
    return (
      <PlainDialog isOpen isFirm title={TEXTS.created} onClose={onClose}>
        <MadeLink made={create.data} email={ownerEmail.trim()} onDone={onClose} />
      </PlainDialog>
    );
  }
  const submit = form.onSubmit(() => {
    const onError = (failure: RequestFailure) => form.setErrors(fieldErrorsOf(failure));
    create.mutate({ body: { name: name.trim(), ownerEmail: ownerEmail.trim(), tier } }, { onError });
  });
  return (
    <PlainDialog isOpen title={TEXTS.createTitle} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm">{TEXTS.createBody}</Text>
          <TextInput
            label={TEXTS.name}
            maxLength={200}
            required
            data-autofocus
            autoComplete="off"
            {...form.getInputProps("name")}
          />
          <TextInput
            label={TEXTS.ownerEmail}
            type="email"
            maxLength={200}
            required
            autoComplete="off"
            {...form.getInputProps("ownerEmail")}
          />
          <TierFields value={tier} onChange={(chosen) => form.setFieldValue("tier", chosen)} />
          <FormError failure={create.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {TEXTS.createSubmit}
            </Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
