import { usePerson } from "../client/session.ts";
import { SECURITY_TEXTS } from "../texts/account-texts.ts";
import { AccountFrame } from "./account-frame.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";

export function SecurityPage() {
  const person = usePerson();
  return (
    <AccountFrame title={SECURITY_TEXTS.title} lead={SECURITY_TEXTS.lead}>
      {person !== null && (
        <>
          <PasswordSection person={person} />
          <SecondFactorSection person={person} />
        </>
      )}
    </AccountFrame>
  );
}
