/** What a failure says, and its request id to copy. Props: `failure`. */
import { Group, Text } from "@mantine/core";
import type { RequestFailure } from "../client/request-failure.ts";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { CopyIconButton } from "./copy-button.tsx";

export function FailureMessage({ failure }: { readonly failure: RequestFailure }) {
  return (
    <>
      <Text size="sm">{failure.message}</Text>
      {failure.requestId !== null && (
        <Group gap={4} mt={4} wrap="nowrap">
          <Text size="xs" c="dimmed" style={{ flex: "none" }}>
            {FAULT_TEXTS.requestId}
          </Text>
          <Text size="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {failure.requestId}
          </Text>
          <CopyIconButton value={failure.requestId} label={FAULT_TEXTS.copyRequestId} />
        </Group>
      )}
    </>
  );
}
