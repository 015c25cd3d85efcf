import { Button, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAllows } from "../client/session.ts";
import { focusFirst, useActionForm } from "../client/use-action-form.ts";
import { ORGANIZATION_TEXTS as TEXTS } from "../texts/settings-texts.ts";
import { requireName } from "../ui/field-rules.ts";
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
  const { form, onSubmit, isBusy, failure } = useActionForm("renameOrganization", {
    initialValues: { name },
    validate: { name: requireName },
    toInput: (typed) => ({ path: { orgId }, body: { name: typed.name.trim() } }),
    changes: ["getOrganization", "getSession", "listOrganizations"],
    says: TEXTS.renamed,
    // The button has nothing to do then, and cannot keep the focus.
    onDone: () => {
      if (document.activeElement === document.body) focusFirst(["name"]);
    },
  });
  const [known, setKnown] = useState(name);
  if (known !== name) {
    setKnown(name);
    form.setValues({ name });
  }
  return (
    <form onSubmit={onSubmit} noValidate>
      <Group gap="xs" align="flex-start" mb="xs">
        <TextInput
          aria-label={TEXTS.name}
          data-field="name"
          autoComplete="off"
          flex={1}
          maw={420}
          {...form.getInputProps("name")}
        />
        <Button
          type="submit"
          variant="default"
          loading={isBusy}
          disabled={["", name].includes(form.values.name.trim())}
        >
          {TEXTS.rename}
        </Button>
      </Group>
      <FormError failure={failure} />
    </form>
  );
}
