/** Why a form was not taken, read out at once, with its request id. Props: `failure` (null shows nothing). */
import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { RequestFailure } from "../client/request-failure.ts";
import { FailureMessage } from "./failure-message.tsx";

export function FormError({ failure }: { readonly failure: RequestFailure | null }) {
  return (
    <div aria-live="assertive">
      {failure !== null && (
        <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="presentation">
          <FailureMessage failure={failure} />
        </Alert>
      )}
    </div>
  );
}
