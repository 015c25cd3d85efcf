/** Moves prospects from stage to stage: shown at once, taken back where it is refused, and with a way to undo it. */
import type { Prospect } from "@lineup/api/prospects";
import { useCallback } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { BOARD_TEXTS, STAGE_NAMES } from "../texts/prospect-texts.ts";
import type { Stage } from "./prospects-search.ts";

export type MoveToStage = (prospect: Prospect, stage: Stage) => void;

export function useStageMove(): MoveToStage {
  const { id: orgId } = useOrganization();
  const { mutate } = useRecordWrite("updateProspect", {
    says: ({ ign, stage }) => BOARD_TEXTS.moved(ign, STAGE_NAMES[stage]),
    undo: "fields",
    optimistic: ({ body: { stage } }) => stage && { stage, stageChangedAt: Date.now() },
  });
  return useCallback(
    // Refusals are told by the write itself, and so are conflicts.
    ({ id, updatedAt }, stage) => mutate({ path: { orgId, recordId: id }, body: { stage, updatedAt } }),
    [mutate, orgId],
  );
}
