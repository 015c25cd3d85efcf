/** What is asked before an entry is made or changed. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { DeleteRecordDialog } from "../records/delete-record-dialog.tsx";
import type { EventDialogName } from "./event-actions.tsx";
import { CreateEventDialog, EditEventDialog } from "./event-form-dialog.tsx";
import { MoveEventDialog } from "./move-event-dialog.tsx";
import { ResultDialog } from "./result-dialog.tsx";
import type { EventTimes } from "./use-event-move.ts";

/** The entry is the version that was seen when it was asked for. */
export type ShownEventDialog =
  | { readonly name: "create"; readonly startsAt: number; readonly teamId: string | null }
  | { readonly name: EventDialogName; readonly event: ScheduleEntry };

export interface EventDialogsProps {
  readonly shown: ShownEventDialog | null;
  readonly onClose: () => void;
  readonly onMove: (event: ScheduleEntry, times: EventTimes) => void;
  readonly onDeleted: () => void;
}

export function EventDialogs({ shown, onClose, onMove, onDeleted }: EventDialogsProps) {
  if (shown === null) return null;
  if (shown.name === "create") return <CreateEventDialog {...shown} onClose={onClose} />;
  const { name, event } = shown;
  if (name === "move") return <MoveEventDialog event={event} onMove={onMove} onClose={onClose} />;
  if (name === "edit") return <EditEventDialog event={event} onClose={onClose} />;
  if (name === "result") return <ResultDialog event={event} onClose={onClose} />;
  return <DeleteRecordDialog kind="event" record={event} name={event.title} onClose={onClose} onDeleted={onDeleted} />;
}
