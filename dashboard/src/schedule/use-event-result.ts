import type { ScheduleEntry } from "@lineup/api/schedule";
import type { RequestFailure } from "../client/request-failure.ts";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { canTake, takeBack } from "./event-steps.ts";
import { type Score, sayScore } from "./score-choices.ts";

/** Completes an entry with its result, or without one; of one that is completed already, changes the result. */
export function useEventResult(onDone?: () => void) {
  const { id: orgId } = useOrganization();
  const options = { undo: takeBack(orgId), ...(onDone !== undefined && { onDone }) };
  const complete = useRecordWrite("completeEvent", {
    ...options,
    says: ({ result }) => (result === null ? TEXTS.completedPlain : TEXTS.completed(sayScore(result))),
  });
  const correct = useRecordWrite("updateEvent", {
    ...options,
    says: ({ result }) => (result === null ? TEXTS.completedPlain : TEXTS.resultSaved(sayScore(result))),
  });
  const save = (event: ScheduleEntry, result: Score | null) => {
    const { id: recordId, updatedAt } = event;
    const write = canTake("complete", event) ? complete : correct;
    // Where somebody else was quicker, the dialog of the two versions takes over.
    const onError = ({ current }: RequestFailure) => current !== undefined && onDone?.();
    write.mutate({ path: { orgId, recordId }, body: { result, updatedAt } }, { onError });
  };
  return { save, isBusy: complete.isPending || correct.isPending };
}
