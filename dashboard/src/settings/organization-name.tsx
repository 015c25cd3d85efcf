import { Button, Group, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { fieldErrorsOf, type RequestFailure } from "../client/request-failure.ts";
import { useAllows } from "../client/session.ts";
import { useActionMutation } from "../client/use-action.ts";
import { ORGANIZATION_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { FormError } from "../ui/form-error.tsx";

export interface OrganizationNameProps {
  readonly orgId: string;
  readonly name: string;
}

/** The name, for owners to change. */
export function OrganizationName({ orgId, name }: OrganizationNameProps) {
  const mayRename = useAllows("organization:manage");
  if (mayRename) return <RenameForm orgId={orgId} name={name} />;
  return (
    <>
      <Text fw={600}>{name}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {TEXTS.onlyOwners}
      </Text>
    </>
  );
}

function RenameForm({ orgId, name }: OrganizationNameProps) {
  const form = useForm({
    initialValues: { name },
    validate: { name: (typed) => (typed.trim() === "" ? TEXTS.nameMissing : null) },
  });
  const rename = useActionMutation("renameOrganization", {
    failure: "shown",
    changes: ["getOrganization", "getSession", "listOrganizations"],
    says: TEXTS.renamed,
  });
  const submit = form.onSubmit((typed) => {
    const onError = (failure: RequestFailure) => form.setErrors(fieldErrorsOf(failure));
    rename.mutate({ path: { orgId }, body: { name: typed.name.trim() } }, { onError });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Group gap="xs" align="flex-start" mb="xs">
        <TextInput
          aria-label={TEXTS.name}
          maxLength={200}
          autoComplete="off"
          flex={1}
          maw={420}
          {...form.getInputProps("name")}
        />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={form.values.name.trim() === name}>
          {TEXTS.rename}
        </Button>
      </Group>
      <FormError failure={rename.error} />
    </form>
  );
}
