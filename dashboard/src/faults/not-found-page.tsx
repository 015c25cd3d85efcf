import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { ButtonLink } from "../ui/links.tsx";
import { FaultPage } from "./fault-page.tsx";

export function NotFoundPage() {
  return (
    <FaultPage title={FAULT_TEXTS.notFoundTitle} action={<ButtonLink to="/">{FAULT_TEXTS.toHome}</ButtonLink>}>
      {FAULT_TEXTS.notFoundBody}
    </FaultPage>
  );
}
