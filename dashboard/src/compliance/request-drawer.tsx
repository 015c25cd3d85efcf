/** One request, opened: all that is known of it, and a line to repeat it. */
import type { RequestView } from "@lineup/api/dashboard/records";
import { Drawer, Group, Stack, Text } from "@mantine/core";
import { IconSearchOff } from "@tabler/icons-react";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { REQUESTS_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { CopyField, CopyIconButton } from "../ui/copy-button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { TextLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { sayDuration } from "../ui/number-words.ts";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { sayExactly } from "../ui/time-words.ts";
import { useOnTop } from "../ui/use-on-top.ts";
import { findMeaning, RequestStatus } from "./request-status.tsx";
import { makeRepeatCurl, needsBody } from "./shell-lines.ts";

export interface RequestDrawerProps {
  /** Undefined while nothing is open. */
  readonly requestId: string | undefined;
  /** The row, where the list has it already. */
  readonly known: RequestView | undefined;
  readonly onClose: () => void;
}

export function RequestDrawer({ requestId, known, onClose }: RequestDrawerProps) {
  const isOnTop = useOnTop(requestId !== undefined);
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      closeOnEscape={isOnTop}
      title={
        <Text span fw={650} fz="lg">
          {TEXTS.detail}
        </Text>
      }
      closeButtonProps={{ "aria-label": COMMON_TEXTS.close }}
    >
      {requestId !== undefined && <OpenRequest requestId={requestId} known={known} />}
    </Drawer>
  );
}

function OpenRequest({ requestId, known }: { readonly requestId: string; readonly known: RequestView | undefined }) {
  const { id: orgId } = useOrganization();
  const asked = useAction("getRequest", { path: { orgId, requestId } }, { enabled: known === undefined });
  const request = known ?? asked.data;
  if (request !== undefined) return <RequestFacts orgId={orgId} request={request} />;
  if (asked.error === null) return <LinesSkeleton lines={8} />;
  if (asked.error.code !== "NOT_FOUND") return <LoadFault failure={asked.error} onRetry={asked.refetch} />;
  return (
    <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.missingTitle} heading={3}>
      {asked.error.message}
    </EmptyState>
  );
}

function RequestFacts({ orgId, request }: { readonly orgId: string; readonly request: RequestView }) {
  const { facts } = TEXTS;
  const meaning = findMeaning(request.code);
  return (
    <Stack gap="md">
      <Text ff="monospace" size="sm" style={{ overflowWrap: "anywhere" }}>
        <b>{request.method}</b> {request.target}
      </Text>
      <FactList
        facts={[
          {
            name: facts.status,
            value: (
              <>
                <RequestStatus {...request} />
                {meaning !== undefined && <Text size="sm">{meaning}</Text>}
              </>
            ),
          },
          { name: facts.time, value: sayExactly(request.at) },
          { name: facts.duration, value: sayDuration(request.durationMs) },
          { name: TEXTS.route, value: request.route ?? TEXTS.noRoute },
          { name: facts.key, value: <KeyOfRequest orgId={orgId} request={request} /> },
          { name: facts.address, value: request.address ?? TEXTS.unknown },
          { name: TEXTS.userAgent, value: request.userAgent ?? TEXTS.unknown },
          {
            name: facts.id,
            value: (
              <Group gap={4} wrap="nowrap">
                <Text span inherit ff="monospace">
                  {request.id}
                </Text>
                <CopyIconButton value={request.id} label={TEXTS.copyId} />
              </Group>
            ),
          },
        ]}
      />
      <RepeatLine request={request} />
    </Stack>
  );
}

function KeyOfRequest({ orgId, request }: { readonly orgId: string; readonly request: RequestView }) {
  return (
    <>
      <TextLink inherit to="/orgs/$orgId/compliance/keys/$keyId" params={{ orgId, keyId: request.keyId }}>
        {request.keyName ?? TEXTS.gone}
      </TextLink>
      {request.keyShownPrefix !== null && (
        <Text span inherit ff="monospace" c="dimmed" ml={6} fz="0.8125rem">
          {request.keyShownPrefix}…
        </Text>
      )}
    </>
  );
}

function RepeatLine({ request }: { readonly request: RequestView }) {
  return (
    <div>
      <CopyField label={TEXTS.repeat} value={makeRepeatCurl(window.location.origin, request)} wraps />
      <Text size="sm" c="dimmed" mt={6}>
        {TEXTS.repeatHint} {needsBody(request.method) && TEXTS.repeatBody}
      </Text>
    </div>
  );
}
