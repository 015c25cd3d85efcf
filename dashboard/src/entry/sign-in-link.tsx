import { Button } from "@mantine/core";
import { useEnter } from "../client/entering.ts";
import { useActionMutation } from "../client/use-action.ts";
import { LINK_TEXTS } from "../texts/entry-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import type { LinkProps } from "./link-view.ts";

export function SignInLink({ token, link }: LinkProps) {
  const enter = useEnter();
  const signIn = useActionMutation("signInByLink", {
    failure: "shown",
    onDone: ({ organizationId }) => enter(organizationId === null ? "/" : `/orgs/${organizationId}`),
  });
  return (
    <EntryFrame
      title={LINK_TEXTS.signInTitle}
      lead={link.email === null ? LINK_TEXTS.signInAnyone : LINK_TEXTS.signInLead(link.email)}
    >
      <FormError failure={signIn.error} />
      <Button size="md" loading={signIn.isPending} onClick={() => signIn.mutate({ body: { token } })}>
        {LINK_TEXTS.signIn}
      </Button>
    </EntryFrame>
  );
}
