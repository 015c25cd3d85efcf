/** Why a form was not taken, read out at once, with its request id. Props: `failure` (null shows nothing). */
import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { RequestFailure } from "../client/request-failure.ts";
import { FailureMessage } from "./failure-message.tsx";

export function FormError({ failure }: { readonly failure: RequestFailure | null }) {
  if (failure === null) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />}>
      <FailureMessage failure={failure} />
    </Alert>
  );
}
