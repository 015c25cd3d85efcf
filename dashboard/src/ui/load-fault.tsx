/** Stands where something could not be loaded. LoadFault { failure, onRetry }, usually with a query's `error` and `refetch`. */
import { Alert, Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import type { RequestFailure } from "../client/request-failure.ts";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { FailureMessage } from "./failure-message.tsx";

export interface LoadFaultProps {
  readonly failure: RequestFailure;
  readonly onRetry: () => unknown;
}

export function LoadFault({ failure, onRetry }: LoadFaultProps) {
  return (
    <Alert color="red" variant="light" icon={<IconPlugConnectedX size={18} aria-hidden />}>
      <FailureMessage failure={failure} />
      <Button variant="default" size="xs" mt="sm" onClick={() => onRetry()}>
        {FAULT_TEXTS.tryAgain}
      </Button>
    </Alert>
  );
}
