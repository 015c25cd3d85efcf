/**
 * Moves prospects from stage to stage: shown at once, taken back where it is refused, and with a way to undo it. Moves of one prospect follow each
 * other: the next waits for the answer to the one before, whose version it builds on.
 */
import type { Prospect } from "@lineup/api/prospects";
import { useCallback, useRef } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { BOARD_TEXTS, STAGE_NAMES } from "../texts/prospect-texts.ts";
import type { Stage } from "./prospects-search.ts";

export type MoveToStage = (prospect: Prospect, stage: Stage) => void;

export function useStageMove(): MoveToStage {
  const { id: orgId } = useOrganization();
  const { mutateAsync } = useRecordWrite("updateProspect", {
    says: ({ ign, stage }) => BOARD_TEXTS.moved(ign, STAGE_NAMES[stage]),
    undo: "fields",
    optimistic: ({ path, body }) =>
      body.stage && { kind: "prospect", id: path.recordId, fields: { stage: body.stage, stageChangedAt: Date.now() } },
  });
  const underWay = useRef(new Map<string, Promise<number | undefined>>());
  return useCallback(
    ({ id, updatedAt }, stage) => {
      const move = async (): Promise<number | undefined> => {
        const after = (await underWay.current.get(id)) ?? updatedAt;
        // Refusals are told by the write itself, and so are conflicts.
        const moved = await mutateAsync({ path: { orgId, recordId: id }, body: { stage, updatedAt: after } }).catch(
          () => undefined,
        );
        return moved?.updatedAt;
      };
      const moving = move().finally(() => {
        if (underWay.current.get(id) === moving) underWay.current.delete(id);
      });
      underWay.current.set(id, moving);
    },
    [mutateAsync, orgId],
  );
}
