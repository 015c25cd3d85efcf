import { Text } from "@mantine/core";
import { live } from "../client/live.ts";
import { useAction } from "../client/use-action.ts";
import { KEY_TEXTS as TEXTS } from "../texts/key-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { TextLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { useRequestColumns } from "./request-columns.tsx";

const SHOWN = "8";
const LIVE_MS = 5_000;

export interface KeyLatestProps {
  readonly orgId: string;
  readonly keyId: string;
  /** Whether there were requests, kept or not. */
  readonly wasUsed: boolean;
}

/** The latest requests of one key, and the way to all of them. */
export function KeyLatest({ orgId, keyId, wasUsed }: KeyLatestProps) {
  const latest = useAction("listRequests", { path: { orgId }, query: { keyId, limit: SHOWN } }, live(LIVE_MS));
  const columns = useRequestColumns(orgId, true);
  const all = (
    <TextLink size="sm" to="/orgs/$orgId/compliance/requests" params={{ orgId }} search={{ keyId }}>
      {TEXTS.allRequests}
    </TextLink>
  );
  return (
    <SectionCard title={TEXTS.latest} actions={all}>
      {latest.data === undefined && latest.error !== null ? (
        <LoadFault failure={latest.error} onRetry={latest.refetch} />
      ) : (
        <DataTable
          label={TEXTS.latestCaption}
          columns={columns}
          rows={latest.data?.requests}
          rowKey={(request) => request.id}
          skeletonRows={3}
          empty={<Text c="dimmed">{wasUsed ? TEXTS.noRequests : TEXTS.noRequestsYet}</Text>}
        />
      )}
    </SectionCard>
  );
}
