/** Who changed a record, what of it, and when: newest first, page by page. RecordHistory { recordId } */
import type { HistoryEntry } from "@lineup/api/dashboard/following";
import { Button, Stack, Text } from "@mantine/core";
import { live } from "../client/live.ts";
import { useOrganization } from "../client/session.ts";
import { useActionPages } from "../client/use-action.ts";
import { AuditActor } from "../compliance/audit-actor.tsx";
import { FieldChangeTable } from "../compliance/field-change-table.tsx";
import { listFieldChanges } from "../compliance/field-changes.ts";
import { RECORD_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";
import classes from "./record-history.module.css";
import { useTeamNames } from "./use-team-names.ts";

const LIVE_MS = 5_000;

export function RecordHistory({ recordId }: { readonly recordId: string }) {
  const { id: orgId } = useOrganization();
  const pages = useActionPages("listRecordHistory", { path: { orgId, recordId } }, live(LIVE_MS));
  if (pages.data === undefined) {
    return pages.error === null ? <PageSkeleton /> : <LoadFault failure={pages.error} onRetry={pages.refetch} />;
  }
  const entries = pages.data.pages.flatMap((page) => page.entries);
  return (
    <Stack gap="sm" align="flex-start">
      {entries.length === 0 && <Text c="dimmed">{TEXTS.noHistory}</Text>}
      <ol className={classes.entries}>
        {entries.map((entry) => (
          <Entry key={entry.seq} entry={entry} />
        ))}
      </ol>
      {pages.hasNextPage && (
        <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {TEXTS.olderHistory}
        </Button>
      )}
    </Stack>
  );
}

function Entry({ entry: { actor, at, action, changes, note } }: { readonly entry: HistoryEntry }) {
  const nameOf = useTeamNames();
  const verb = action.split(".")[1] ?? "";
  const fields = verb === "updated" ? listFieldChanges(changes, nameOf) : [];
  return (
    <li className={classes.entry}>
      <Text size="sm" component="div">
        <b>{TEXTS.historyVerbs[verb] ?? verb}</b> {TEXTS.by} <AuditActor actor={actor} />{" "}
        <Text span size="sm" c="dimmed">
          <ExactTime at={at} as="moment" isStop={false} />
        </Text>
      </Text>
      {note !== null && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      {fields.length > 0 && <FieldChangeTable changes={fields} />}
    </li>
  );
}
