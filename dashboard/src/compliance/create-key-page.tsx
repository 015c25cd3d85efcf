/** Compliance › API Keys › Create: what the key is called, may do and when it ends; then the key itself, this once. */
import type { Permission } from "@lineup/api/permissions";
import { Button, Group, Paper, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { CREATE_KEY_TEXTS as TEXTS } from "../texts/create-key-texts.ts";
import { KEYS_TEXTS, REVEAL_TEXTS } from "../texts/key-texts.ts";
import { requireName } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { BackLink, ButtonLink } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { type ExpiryChoice, resolveExpiry } from "./key-expiry.ts";
import { KeyExpiryFields } from "./key-expiry-fields.tsx";
import { KeyReveal, type MadeKey } from "./key-reveal.tsx";
import { PermissionFields } from "./permission-fields.tsx";
import { PresetFields } from "./preset-fields.tsx";

interface KeyForm extends Record<string, unknown> {
  name: string;
  permissions: Permission[];
  expiry: ExpiryChoice;
  /** The day, where one is chosen; named as the server names what is wrong with it. */
  expiresAt: string | null;
}

const START: KeyForm = { name: "", permissions: [], expiry: "90", expiresAt: null };

export function CreateKeyPage() {
  const { id: orgId } = useOrganization();
  const [made, setMade] = useState<MadeKey | null>(null);
  if (made !== null) return <KeyReveal orgId={orgId} made={made} title={REVEAL_TEXTS.createdTitle} />;
  return (
    <>
      <PageHeader
        title={TEXTS.title}
        lead={TEXTS.intro}
        back={
          <BackLink to="/orgs/$orgId/compliance/keys" params={{ orgId }}>
            {KEYS_TEXTS.title}
          </BackLink>
        }
      />
      <CreateKeyForm orgId={orgId} onMade={setMade} />
    </>
  );
}

interface CreateKeyFormProps {
  readonly orgId: string;
  readonly onMade: (made: MadeKey) => void;
}

function CreateKeyForm({ orgId, onMade }: CreateKeyFormProps) {
  const { form, onSubmit, isBusy, failure } = useActionForm("createKey", {
    initialValues: START,
    validate: checkForm,
    toInput: ({ name, permissions, expiry, expiresAt }) => ({
      path: { orgId },
      body: { name: name.trim(), permissions, expiresAt: resolveExpiry(expiry, expiresAt, serverNow()) ?? null },
    }),
    changes: ["listKeys", "getHome", "getOrganization"],
    onDone: (result, { body }) => onMade({ ...result, permissions: body.permissions }),
  });
  const { permissions, expiry, expiresAt } = form.values;
  return (
    <Paper withBorder p="lg" maw={820} component="form" onSubmit={onSubmit} noValidate>
      <Stack gap="xl">
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          placeholder={TEXTS.namePlaceholder}
          maw={420}
          required
          autoComplete="off"
          data-field="name"
          {...form.getInputProps("name")}
        />
        <PresetFields permissions={permissions} onChoose={(chosen) => form.setFieldValue("permissions", chosen)} />
        <PermissionFields
          value={permissions}
          onChange={(chosen) => form.setFieldValue("permissions", chosen)}
          error={form.errors.permissions}
        />
        <KeyExpiryFields
          choice={expiry}
          day={expiresAt}
          onChoose={(choice) => form.setFieldValue("expiry", choice)}
          onDay={(chosen) => form.setFieldValue("expiresAt", chosen)}
          error={form.errors.expiresAt}
        />
        <FormError failure={failure} />
        <Group gap="xs">
          <Button type="submit" loading={isBusy}>
            {TEXTS.submit}
          </Button>
          <ButtonLink variant="default" to="/orgs/$orgId/compliance/keys" params={{ orgId }}>
            {TEXTS.cancel}
          </ButtonLink>
        </Group>
      </Stack>
    </Paper>
  );
}

function checkForm({ name, permissions, expiry, expiresAt }: KeyForm) {
  return {
    name: name.trim() === "" ? TEXTS.nameMissing : requireName(name),
    permissions: permissions.length === 0 ? TEXTS.permissionsMissing : null,
    expiresAt: resolveExpiry(expiry, expiresAt, serverNow()) === undefined ? TEXTS.dateMissing : null,
  };
}
