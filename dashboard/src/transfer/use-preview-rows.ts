/** The rows of one outcome, and of one kind if it is chosen, as many as are to be shown; those that the page does not have yet are asked for. */

import type { ImportPreviewView, ImportRowView } from "@lineup/api/dashboard/transfer";
import type { ResourceName } from "@lineup/api/endpoints";
import { useEffect, useState } from "react";
import { callWithProgress } from "../client/call-with-progress.ts";
import { RequestFailure } from "../client/request-failure.ts";
import type { RowOutcome } from "../texts/transfer-texts.ts";
import { listSent, type SourceFile } from "./source-files.ts";

const STEP = 50;

export interface RowFilter {
  readonly outcome: RowOutcome;
  readonly table: ResourceName | undefined;
}

export interface PreviewRows {
  readonly rows: readonly ImportRowView[];
  readonly total: number;
  readonly isLoading: boolean;
  readonly failure: RequestFailure | null;
  showMore(): void;
}

export function usePreviewRows(
  orgId: string,
  preview: ImportPreviewView,
  files: readonly SourceFile[],
  filter: RowFilter,
): PreviewRows {
  const { outcome, table } = filter;
  const key = `${outcome} ${table ?? ""}`;
  const [shownBy, setShownBy] = useState<Readonly<Record<string, number>>>({});
  const [moreBy, setMoreBy] = useState<Readonly<Record<string, readonly ImportRowView[]>>>({});
  const [loading, setLoading] = useState<AbortController>();
  const [failure, setFailure] = useState<RequestFailure | null>(null);
  useEffect(() => () => loading?.abort(), [loading]);
  const matches = (row: ImportRowView) => row.outcome === outcome && (table === undefined || row.table === table);
  const known = [...preview.rows.filter(matches), ...(moreBy[key] ?? [])];
  const total = countRows(preview, filter) || known.length;
  const shown = Math.min(shownBy[key] ?? STEP, total);

  const load = async () => {
    const sent = listSent(files);
    if (sent === undefined) return;
    const controller = new AbortController();
    setLoading(controller);
    setFailure(null);
    try {
      const body = { files: sent, outcome, from: known.length, ...(table !== undefined && { table }) };
      const options = { onProgress: () => {}, signal: controller.signal };
      const { rows } = await callWithProgress("previewImport", { path: { orgId }, body }, options);
      setMoreBy((before) => ({ ...before, [key]: [...(before[key] ?? []), ...rows] }));
    } catch (cause) {
      if (cause instanceof RequestFailure) setFailure(cause);
    } finally {
      setLoading((now) => (now === controller ? undefined : now));
    }
  };

  return {
    rows: known.slice(0, shown),
    total,
    isLoading: loading !== undefined,
    failure,
    showMore: () => {
      setShownBy((before) => ({ ...before, [key]: shown + STEP }));
      if (shown + STEP > known.length && known.length < total) void load();
    },
  };
}

export function countRows({ tables }: ImportPreviewView, { outcome, table }: RowFilter): number {
  const counted = tables.filter((one) => table === undefined || one.table === table);
  return counted.reduce((sum, one) => sum + one[outcome], 0);
}
