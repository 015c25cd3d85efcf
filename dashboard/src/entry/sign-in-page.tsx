import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useEnter } from "../client/entering.ts";
import { SESSION_END } from "../client/session.ts";
import { SIGN_IN_TEXTS } from "../texts/entry-texts.ts";
import { TextLink } from "../ui/links.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { SignInForm, type SignInStep } from "./sign-in-form.tsx";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { back } = route.useSearch();
  const enter = useEnter();
  const [step, setStep] = useState<SignInStep>("password");
  const isFirst = step === "password";
  const hasEnded = useQueryClient().getQueryData(SESSION_END) === true;
  return (
    <EntryFrame
      title={isFirst ? SIGN_IN_TEXTS.title : SIGN_IN_TEXTS.secondTitle}
      lead={isFirst ? (hasEnded ? SIGN_IN_TEXTS.ended : SIGN_IN_TEXTS.lead) : undefined}
      footer={<TextLink to="/forgot">{SIGN_IN_TEXTS.forgot}</TextLink>}
    >
      <SignInForm onDone={() => enter(back ?? "/")} onStep={setStep} />
    </EntryFrame>
  );
}
