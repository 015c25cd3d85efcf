/** Stands where a page threw, or where its parts could not be fetched. */
import { Button } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { RequestFailure } from "../client/request-failure.ts";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { FailureMessage } from "../ui/failure-message.tsx";
import { FaultPage } from "./fault-page.tsx";

/** What Chromium, Firefox, Safari and Vite say of a part of a page that could not be fetched. */
const MISSING_PART = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

export function BrokenPage({ error: thrown, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isPartMissing = thrown instanceof Error && MISSING_PART.test(thrown.message);
  const error = isPartMissing ? new RequestFailure("UNREACHABLE", FAULT_TEXTS.unreachable, null) : thrown;
  const isFailure = error instanceof RequestFailure;
  const retry = () => {
    // A browser asks no second time for a part that it could not fetch.
    if (!isFailure || isPartMissing) return window.location.reload();
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
