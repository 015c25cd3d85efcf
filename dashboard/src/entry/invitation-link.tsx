/** Joining an organization: with a new account, or with the one whose email address the invitation names. */
import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEnter } from "../client/entering.ts";
import { useSession } from "../client/session.ts";
import { refreshActions, useActionMutation } from "../client/use-action.ts";
import { useActionForm } from "../client/use-action-form.ts";
import { FIELD_TEXTS, LINK_TEXTS } from "../texts/entry-texts.ts";
import { ROLE_MEANINGS, ROLE_NAMES } from "../texts/frame-texts.ts";
import { requireName, requireNewPassword } from "../ui/field-rules.ts";
import { FormError } from "../ui/form-error.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import type { LinkProps } from "./link-view.ts";
import { SignInForm } from "./sign-in-form.tsx";

export function InvitationLink(props: LinkProps) {
  const { link } = props;
  const role = link.role ?? "viewer";
  const words =
    link.invitedBy === null
      ? LINK_TEXTS.invitationPlain(ROLE_NAMES[role])
      : LINK_TEXTS.invitationLead(link.invitedBy, ROLE_NAMES[role]);
  return (
    <EntryFrame
      title={LINK_TEXTS.invitationTitle(link.organization ?? "")}
      lead={
        <>
          <Text>{words}</Text>
          <Text size="sm">{ROLE_MEANINGS[role]}</Text>
        </>
      }
    >
      <Text size="sm">
        {LINK_TEXTS.invitationFor} <strong>{link.email}</strong>.
      </Text>
      <Answer {...props} />
    </EntryFrame>
  );
}

function Answer({ token, link }: LinkProps) {
  const session = useSession();
  const queryClient = useQueryClient();
  const refresh = () => refreshActions(queryClient, ["getSession"]);
  if (session === undefined) return <LinesSkeleton lines={3} />;
  if (session.user === null && link.hasAccount) {
    return (
      <>
        <Text>{LINK_TEXTS.haveAccount}</Text>
        <SignInForm email={link.email ?? ""} onDone={refresh} />
      </>
    );
  }
  if (session.user === null) return <NewAccountForm token={token} email={link.email ?? ""} />;
  if (session.user.email !== link.email) return <OtherAccount email={session.user.email} onSignedOut={refresh} />;
  return <AcceptButton token={token} />;
}

function AcceptButton({ token }: { readonly token: string }) {
  const enter = useEnter();
  const accept = useActionMutation("acceptInvitation", {
    failure: "shown",
    onDone: ({ organizationId }) => enter(`/orgs/${organizationId}`),
  });
  return (
    <>
      <FormError failure={accept.error} />
      <Button size="md" loading={accept.isPending} onClick={() => accept.mutate({ body: { token } })}>
        {LINK_TEXTS.accept}
      </Button>
    </>
  );
}

interface OtherAccountProps {
  readonly email: string;
  readonly onSignedOut: () => Promise<void>;
}

function OtherAccount({ email, onSignedOut }: OtherAccountProps) {
  const signOut = useActionMutation("signOut", { failure: "shown", onDone: onSignedOut });
  return (
    <>
      <Text>{LINK_TEXTS.otherAccount(email)}</Text>
      <FormError failure={signOut.error} />
      <Button size="md" variant="default" loading={signOut.isPending} onClick={() => signOut.mutate({})}>
        {LINK_TEXTS.signOut}
      </Button>
    </>
  );
}

function NewAccountForm({ token, email }: { readonly token: string; readonly email: string }) {
  const enter = useEnter();
  const { form, onSubmit, isBusy, failure } = useActionForm("acceptInvitation", {
    initialValues: { name: "", password: "" },
    validate: { name: requireName, password: requireNewPassword },
    toInput: (values) => ({ body: { ...values, token } }),
    onDone: ({ organizationId }) => enter(`/orgs/${organizationId}`),
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <TextInput
          {...form.getInputProps("name")}
          label={FIELD_TEXTS.name}
          description={FIELD_TEXTS.nameHint}
          autoComplete="name"
          data-field="name"
        />
        <PasswordField
          {...form.getInputProps("password")}
          kind="new"
          label={FIELD_TEXTS.password}
          data-field="password"
        />
        <FormError failure={failure} />
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {LINK_TEXTS.acceptNew}
        </Button>
      </Stack>
    </form>
  );
}
