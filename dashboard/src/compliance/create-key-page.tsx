/** Compliance › API Keys › Create: what the key is called, may do and when it ends; then the key itself, this once. */
import type { Permission } from "@lineup/api/permissions";
import { Button, Group, Paper, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { fieldErrorsOf } from "../client/request-failure.ts";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { useActionMutation } from "../client/use-action.ts";
import { KEYS_TEXTS, REVEAL_TEXTS, CREATE_KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { BackLink, ButtonLink } from "../ui/links.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { type ExpiryChoice, resolveExpiry } from "./key-expiry.ts";
import { KeyExpiryFields } from "./key-expiry-fields.tsx";
import { KeyReveal, type MadeKey } from "./key-reveal.tsx";
import { PermissionFields } from "./permission-fields.tsx";
import { PresetFields } from "./preset-fields.tsx";

interface KeyForm {
  name: string;
  permissions: Permission[];
  expiry: ExpiryChoice;
  day: string | null;
}

const START: KeyForm = { name: "", permissions: [], expiry: "90", day: null };

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
  const form = useForm<KeyForm>({ initialValues: START, validate: checkForm });
  const create = useActionMutation("createKey", {
    failure: "shown",
    changes: ["listKeys", "getHome", "getOrganization"],
    onDone: (result, { body }) => onMade({ ...result, permissions: body.permissions }),
  });
  const { name, permissions, expiry, day } = form.values;
  const submit = form.onSubmit(() => {
    const expiresAt = resolveExpiry(expiry, day, serverNow());
    if (expiresAt === undefined) return;
    const onError = (error: typeof create.error) => form.setErrors(namedAsHere(fieldErrorsOf(error)));
    create.mutate({ path: { orgId }, body: { name: name.trim(), permissions, expiresAt } }, { onError });
  });
  return (
    <Paper withBorder p="lg" maw={820} component="form" onSubmit={submit} noValidate>
      <Stack gap="xl">
        <TextInput
          label={TEXTS.name}
          description={TEXTS.nameHint}
          placeholder={TEXTS.namePlaceholder}
          maxLength={200}
          maw={420}
          required
          autoComplete="off"
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
          day={day}
          onChoose={(choice) => form.setFieldValue("expiry", choice)}
          onDay={(chosen) => form.setFieldValue("day", chosen)}
          error={typeof form.errors.day === "string" ? form.errors.day : undefined}
        />
        <FormError failure={create.error} />
        <Group gap="xs">
          <Button type="submit" loading={create.isPending}>
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

function checkForm({ name, permissions, expiry, day }: KeyForm) {
  return {
    name: name.trim() === "" ? TEXTS.nameMissing : null,
    permissions: permissions.length === 0 ? TEXTS.permissionsMissing : null,
    day: resolveExpiry(expiry, day, serverNow()) === undefined ? TEXTS.dateMissing : null,
  };
}

/** What the server calls `expiresAt` is the day here. */
function namedAsHere({ expiresAt, ...errors }: Record<string, string>): Record<string, string> {
  return expiresAt === undefined ? errors : { ...errors, day: expiresAt };
}
