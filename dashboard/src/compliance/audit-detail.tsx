import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useOrganization } from "../client/session.ts";
import { useTeamNames } from "../records/use-team-names.ts";
import { AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";
import { CopyIconButton } from "../ui/copy-button.tsx";
import { type Fact, FactList } from "../ui/fact-list.tsx";
import { TextLink } from "../ui/links.tsx";
import { sayExactly } from "../ui/time-words.ts";
import { AuditActor } from "./audit-actor.tsx";
import { FieldChangeTable } from "./field-change-table.tsx";
import { listFieldChanges } from "./field-changes.ts";

/** All that is recorded of one entry, and what changed. */
export function AuditDetail({ entry }: { readonly entry: AuditEntryView }) {
  const { id: orgId } = useOrganization();
  const changes = listFieldChanges(entry.changes, useTeamNames());
  return (
    <Stack gap="sm" py="xs">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={{ base: 0, sm: "lg" }}>
        <FactList facts={listWho(entry)} />
        <FactList facts={listWhat(entry)} />
      </SimpleGrid>
      {changes.length > 0 && <FieldChangeTable changes={changes} />}
      <Group gap="md">
        {entry.actor.id !== null && (
          <TextLink size="sm" to="/orgs/$orgId/compliance/audit" params={{ orgId }} search={{ actor: entry.actor.id }}>
            {TEXTS.onlyActor}
          </TextLink>
        )}
        <TextLink size="sm" to="/orgs/$orgId/compliance/audit" params={{ orgId }} search={{ target: entry.target.id }}>
          {TEXTS.onlyTarget}
        </TextLink>
        {entry.target.kind === "key" && (
          <TextLink size="sm" to="/orgs/$orgId/compliance/keys/$keyId" params={{ orgId, keyId: entry.target.id }}>
            {TEXTS.toKey}
          </TextLink>
        )}
        {entry.target.kind === "webhook" && (
          <TextLink
            size="sm"
            to="/orgs/$orgId/compliance/webhooks/$webhookId"
            params={{ orgId, webhookId: entry.target.id }}
          >
            {TEXTS.toWebhook}
          </TextLink>
        )}
      </Group>
    </Stack>
  );
}

function listWho({ at, actor, address, requestId }: AuditEntryView): Fact[] {
  return [
    { name: TEXTS.columns.when, value: sayExactly(at) },
    { name: TEXTS.actorName, value: <AuditActor actor={actor} /> },
    { name: TEXTS.address, value: address ?? TEXTS.here },
    ...(requestId === null ? [] : [{ name: TEXTS.requestId, value: <Identifier id={requestId} /> }]),
  ];
}

function listWhat({ seq, action, target, note }: AuditEntryView): Fact[] {
  return [
    { name: TEXTS.number, value: String(seq) },
    {
      name: TEXTS.actionName,
      value: (
        <Text span inherit ff="monospace">
          {action}
        </Text>
      ),
    },
    { name: TEXTS.targetName, value: target.name ?? target.kind },
    { name: TEXTS.targetId, value: <Identifier id={target.id} /> },
    ...(note === null ? [] : [{ name: TEXTS.note, value: note }]),
  ];
}

function Identifier({ id }: { readonly id: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text span inherit ff="monospace" fz="0.8125rem">
        {id}
      </Text>
      <CopyIconButton value={id} label={`${TEXTS.copy} ${id}`} />
    </Group>
  );
}
