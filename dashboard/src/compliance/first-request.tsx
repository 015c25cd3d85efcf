import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { RequestView } from "@lineup/api/dashboard/records";
import { Alert, Text } from "@mantine/core";
import { IconCircleCheck, IconPlugConnected } from "@tabler/icons-react";
import { useAction } from "../client/use-action.ts";
import { REVEAL_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { TextLink } from "../ui/links.tsx";
import { PulseDot } from "./pulse-dot.tsx";

const ASK_MS = 2_000;
/** As many as are told at once: a key may have been used more than once before it was asked about. */
const REQUESTS_MOST = "200";

export interface FirstRequestProps {
  readonly orgId: string;
  readonly keyId: string;
}

/** Waits for a new key's first request and says what came. */
export function FirstRequest({ orgId, keyId }: FirstRequestProps) {
  const key = useAction(
    "getKey",
    { path: { orgId, keyId } },
    {
      refetchInterval: ({ state }) => (state.data?.lastUsedAt == null ? ASK_MS : false),
      refetchIntervalInBackground: true,
      staleTime: 0,
    },
  );
  const isUsed = key.data != null && key.data.lastUsedAt !== null;
  // The log is written in batches: the key may be known to be used a moment before its request is there.
  const early = useAction(
    "listRequests",
    { path: { orgId }, query: { keyId, from: String(key.data?.createdAt ?? 0), limit: REQUESTS_MOST } },
    {
      enabled: isUsed,
      refetchInterval: ({ state }) => (state.data?.requests.length ? false : ASK_MS),
      refetchIntervalInBackground: true,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
  return (
    <div aria-live="polite">
      {isUsed ? (
        <Alert
          color="green"
          role="presentation"
          variant="light"
          icon={<IconCircleCheck size={18} aria-hidden />}
          title={TEXTS.arrivedTitle}
        >
          <Arrived orgId={orgId} request={early.data && findFirst(early.data)} />
        </Alert>
      ) : (
        <Alert
          color="gray"
          role="presentation"
          variant="light"
          icon={<IconPlugConnected size={18} aria-hidden />}
          title={<PulseDot>{TEXTS.waitingTitle}</PulseDot>}
        >
          {TEXTS.waitingBody}
        </Alert>
      )}
    </div>
  );
}

/** Newest first. Where there are older ones still, the first is not among them. */
function findFirst({ requests, nextCursor }: ActionResult<"listRequests">): RequestView | undefined {
  return nextCursor === null ? requests.at(-1) : undefined;
}

function Arrived({ orgId, request }: { readonly orgId: string; readonly request: RequestView | undefined }) {
  if (request === undefined) return <Text size="sm">{TEXTS.arrivedPlain}</Text>;
  return (
    <Text size="sm">
      {TEXTS.arrived(request.method, request.target, request.status, request.code)}{" "}
      <TextLink
        inherit
        to="/orgs/$orgId/compliance/requests"
        params={{ orgId }}
        search={{ keyId: request.keyId, open: request.id }}
        c="inherit"
        underline="always"
      >
        {TEXTS.openRequest}
      </TextLink>
    </Text>
  );
}
