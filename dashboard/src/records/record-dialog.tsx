/** The dialog of a form that writes a record: once something was typed, its page asks before it is left. It is there while it is open. */
import { useState } from "react";
import { RECORD_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { LeaveGuard } from "../ui/leave-guard.tsx";
import { PlainDialog, type PlainDialogProps } from "../ui/plain-dialog.tsx";

export function RecordDialog(props: Omit<PlainDialogProps, "isOpen" | "isFirm" | "onChanged">) {
  const [isChanged, setChanged] = useState(false);
  return (
    <>
      <PlainDialog {...props} isOpen onChanged={() => setChanged(true)} />
      <LeaveGuard isOpen={isChanged} texts={TEXTS} ofDialog />
    </>
  );
}
