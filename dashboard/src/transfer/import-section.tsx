/** Import: files in, a look at what they would do, and the step that writes it. */
import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconFileAlert } from "@tabler/icons-react";
import { useState } from "react";
import { TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { LeaveGuard } from "../ui/leave-guard.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { DropArea } from "./drop-area.tsx";
import { ExampleLinks } from "./example-links.tsx";
import { ImportDone } from "./import-done.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { SourceFileList } from "./source-file-list.tsx";
import { addFiles, FILES_MAX_BYTES, isFitFile, readSourceFile, type SourceFile } from "./source-files.ts";
import { type ImportWork, useImport } from "./use-import.ts";
import { countRows } from "./use-preview-rows.ts";

export function ImportSection({ orgId }: { readonly orgId: string }) {
  const work = useImport(orgId);
  const [trouble, setTrouble] = useState<string>();
  const take = async (dropped: readonly File[]) => {
    const { files, trouble: found } = await readFiles(dropped, work.files);
    setTrouble(found);
    if (files !== undefined) work.setFiles(files);
  };
  const startOver = () => {
    setTrouble(undefined);
    work.setFiles([]);
  };
  if (work.result !== undefined) return <ImportDone orgId={orgId} result={work.result} onAgain={startOver} />;
  const unnamed = work.files.find(({ holds }) => holds === undefined);
  const hasFiles = work.files.length > 0;
  return (
    <SectionCard
      title={TEXTS.importTitle}
      lead={TEXTS.importLead}
      actions={
        hasFiles && (
          <Button variant="subtle" size="compact-sm" disabled={work.isApplying} onClick={startOver}>
            {TEXTS.startOver}
          </Button>
        )
      }
    >
      <Stack gap="md">
        <DropArea hasFiles={hasFiles} isDisabled={work.isApplying} onFiles={(files) => void take(files)} />
        {trouble !== undefined && (
          <Alert variant="light" color="red" icon={<IconFileAlert size={18} aria-hidden />} role="alert">
            {trouble}
          </Alert>
        )}
        {hasFiles ? (
          <SourceFileList files={work.files} isDisabled={work.isApplying} onChange={work.setFiles} />
        ) : (
          <ExampleLinks orgId={orgId} />
        )}
        {unnamed !== undefined && (
          <Text size="sm" role="status">
            {TEXTS.needsTable(unnamed.name)}
          </Text>
        )}
        <WorkUnderWay work={work} />
        {work.preview !== undefined && !work.isApplying && (
          <ImportPreview orgId={orgId} preview={work.preview} files={work.files} />
        )}
        <ApplyStep work={work} />
        {/* Once the server has the files, the import goes on though its page is left. */}
        <LeaveGuard isOpen={work.isApplying && work.progress === null} texts={TEXTS} />
      </Stack>
    </SectionCard>
  );
}

/** What is to be imported now, or why it stays as it was. */
async function readFiles(
  dropped: readonly File[],
  before: readonly SourceFile[],
): Promise<{ readonly files?: readonly SourceFile[]; readonly trouble?: string }> {
  const read: SourceFile[] = [];
  for (const file of dropped) {
    if (!isFitFile(file.name)) return { trouble: TEXTS.unfitFile(file.name) };
    if (file.size > FILES_MAX_BYTES) return { trouble: TEXTS.tooLarge };
    const one = await readSourceFile(file).catch(() => undefined);
    if (one === undefined) return { trouble: TEXTS.unreadableFile(file.name) };
    read.push(one);
  }
  const files = addFiles(before, read);
  const isTooMuch = files.reduce((sum, { size }) => sum + size, 0) > FILES_MAX_BYTES;
  return isTooMuch ? { trouble: TEXTS.tooLarge } : { files };
}

function WorkUnderWay({ work: { progress, failure, preview, lookAgain } }: { readonly work: ImportWork }) {
  if (failure !== null) {
    if (preview === undefined && progress === undefined) return <LoadFault failure={failure} onRetry={lookAgain} />;
    return <FormError failure={failure} />;
  }
  if (progress === undefined) return null;
  const phase = progress === null ? TEXTS.sending : (TEXTS.phases[progress.phase] ?? progress.phase);
  const total = Math.max(progress?.total ?? 0, progress?.done ?? 0);
  return (
    <Stack gap={6} aria-busy="true">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} role="status">
          {phase}
        </Text>
        <Text size="sm" c="dimmed">
          {progress !== null && TEXTS.progress(progress.done, total)}
        </Text>
      </Group>
      <Progress
        value={progress === null ? 100 : (progress.done / Math.max(total, 1)) * 100}
        animated={progress === null}
        aria-label={phase}
      />
    </Stack>
  );
}

function ApplyStep({ work: { preview, isApplying, apply } }: { readonly work: ImportWork }) {
  if (preview === undefined || preview.fingerprint === null || isApplying) return null;
  const countOf = (outcome: "create" | "change" | "follow") => countRows(preview, { outcome, table: undefined });
  const [create, change, follow] = [countOf("create"), countOf("change"), countOf("follow")];
  if (create + change + follow === 0) return null;
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {follow > 0 && `${TEXTS.follow(follow)} `}
        {TEXTS.applyLead}
      </Text>
      <Button size="md" onClick={apply}>
        {TEXTS.apply(create, change)}
      </Button>
    </Group>
  );
}
