/** Stands where a page threw, or where its parts could not be fetched. */
import { Button } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { RequestFailure } from "../client/request-failure.ts";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { FailureMessage } from "../ui/failure-message.tsx";
import { FaultPage } from "./fault-page.tsx";

export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isFailure = error instanceof RequestFailure;
  const retry = () => {
    if (!isFailure) return window.location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <FaultPage
      title={isFailure && error.code === "UNREACHABLE" ? FAULT_TEXTS.unreachableTitle : FAULT_TEXTS.brokenTitle}
      action={<Button onClick={retry}>{isFailure ? FAULT_TEXTS.tryAgain : FAULT_TEXTS.reload}</Button>}
    >
      {isFailure ? <FailureMessage failure={error} /> : FAULT_TEXTS.brokenBody}
    </FaultPage>
  );
}
