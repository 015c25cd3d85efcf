/** An import on its way: files, what they would do, and what became of them. Whenever the files change they are looked at anew. */
import type { ActionProgress } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { ImportPreviewView } from "@lineup/api/dashboard/transfer";
import { useEffect, useRef, useState } from "react";
import { callWithProgress } from "../client/call-with-progress.ts";
import { RequestFailure } from "../client/request-failure.ts";
import { listSent, type SourceFile } from "./source-files.ts";

export type ImportResult = ActionResult<"applyImport">;

export interface ImportWork {
  readonly files: readonly SourceFile[];
  readonly preview: ImportPreviewView | undefined;
  readonly result: ImportResult | undefined;
  /** Undefined while nothing is under way; null before the first step is told. */
  readonly progress: ActionProgress | null | undefined;
  readonly isApplying: boolean;
  readonly failure: RequestFailure | null;
  setFiles(files: readonly SourceFile[]): void;
  lookAgain(): void;
  apply(): void;
}

interface Standing {
  readonly preview?: ImportPreviewView;
  readonly result?: ImportResult;
  readonly progress?: ActionProgress | null;
  readonly isApplying?: boolean;
  readonly failure?: RequestFailure;
}

export function useImport(orgId: string): ImportWork {
  const [files, setFiles] = useState<readonly SourceFile[]>([]);
  const [standing, setStanding] = useState<Standing>({});
  const underWay = useRef<AbortController | undefined>(undefined);
  // A person who leaves the page waits for no preview. An import that was begun goes on to its end.
  useEffect(() => () => underWay.current?.abort(), []);

  const begin = (first: Standing) => {
    underWay.current?.abort();
    const controller = new AbortController();
    underWay.current = controller;
    const show = (next: Standing) => {
      if (underWay.current === controller) setStanding(next);
    };
    show({ ...first, progress: null });
    const onProgress = (progress: ActionProgress) => show({ ...first, progress });
    return { show, options: { signal: controller.signal, onProgress } };
  };

  const look = async (sent: ReturnType<typeof listSent>, because?: RequestFailure) => {
    if (sent === undefined) {
      underWay.current?.abort();
      setStanding({});
      return;
    }
    const kept = because === undefined ? {} : { failure: because };
    const { show, options } = begin(kept);
    try {
      show({
        ...kept,
        preview: await callWithProgress("previewImport", { path: { orgId }, body: { files: sent } }, options),
      });
    } catch (failure) {
      if (failure instanceof RequestFailure) show({ failure });
    }
  };

  const apply = async () => {
    const sent = listSent(files);
    const fingerprint = standing.preview?.fingerprint ?? null;
    if (sent === undefined || fingerprint === null) return;
    const { show, options } = begin({ ...standing, isApplying: true });
    try {
      const input = { path: { orgId }, body: { files: sent, fingerprint } };
      show({ result: await callWithProgress("applyImport", input, options) });
    } catch (failure) {
      if (!(failure instanceof RequestFailure)) return;
      // What was seen is not so any more; the person sees at once what it is now.
      if (failure.code === "CONFLICT" || failure.code === "VALIDATION_ERROR") await look(sent, failure);
      else show({ ...standing, failure });
    }
  };

  return {
    files,
    preview: standing.preview,
    result: standing.result,
    progress: standing.progress,
    isApplying: standing.isApplying ?? false,
    failure: standing.failure ?? null,
    setFiles: (next) => {
      setFiles(next);
      void look(listSent(next));
    },
    lookAgain: () => void look(listSent(files)),
    apply: () => void apply(),
  };
}
