/** Data › Import & export. Those who may only look take files out. */
import { Stack } from "@mantine/core";
import { useAllows, useOrganization } from "../client/session.ts";
import { TRANSFER_TEXTS as TEXTS } from "../texts/transfer-texts.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { ExportSection } from "./export-section.tsx";
import { ImportSection } from "./import-section.tsx";

export function ImportExportPage() {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("data:manage");
  return (
    <>
      <PageHeader title={TEXTS.title} lead={mayManage ? TEXTS.lead : TEXTS.leadReadOnly} />
      <Stack gap="md">
        {mayManage && <ImportSection key={orgId} orgId={orgId} />}
        <ExportSection key={orgId} orgId={orgId} />
      </Stack>
    </>
  );
}
