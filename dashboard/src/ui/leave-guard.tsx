/**
 * While it is open, a page asks before it is left, inside the dashboard and by closing the window. LeaveGuard { isOpen, texts, ofDialog? }
 *   ofDialog  asks also before the browser's way back on the page itself, which closes what the dialog was opened from
 */
import { Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { ConfirmDialog } from "./confirm-dialog.tsx";

export interface LeaveTexts {
  readonly leaveTitle: string;
  readonly leaveBody: string;
  readonly leave: string;
}

export interface LeaveGuardProps {
  readonly isOpen: boolean;
  readonly texts: LeaveTexts;
  readonly ofDialog?: boolean;
}

export function LeaveGuard({ isOpen, texts, ofDialog = false }: LeaveGuardProps) {
  const blocker = useBlocker({
    // A change of the address on the page itself is no leaving.
    shouldBlockFn: ({ current, next, action }) =>
      isOpen && (current.pathname !== next.pathname || (ofDialog && action === "BACK")),
    enableBeforeUnload: () => isOpen,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === "blocked"}
      title={texts.leaveTitle}
      confirmLabel={texts.leave}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      <Text>{texts.leaveBody}</Text>
    </ConfirmDialog>
  );
}
