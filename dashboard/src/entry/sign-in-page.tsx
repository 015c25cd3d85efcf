import { getRouteApi } from "@tanstack/react-router";
import { useEnter } from "../client/sign-out.ts";
import { SIGN_IN_TEXTS } from "../texts/entry-texts.ts";
import { TextLink } from "../ui/links.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { SignInForm } from "./sign-in-form.tsx";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { back } = route.useSearch();
  const enter = useEnter();
  return (
    <EntryFrame
      title={SIGN_IN_TEXTS.title}
      lead={SIGN_IN_TEXTS.lead}
      footer={<TextLink to="/forgot">{SIGN_IN_TEXTS.forgot}</TextLink>}
    >
      <SignInForm onDone={() => enter(back ?? "/")} />
    </EntryFrame>
  );
}
