/**
 * Short messages in a corner, read out by screen readers. The newest is seen at once and waits for none: of what was done
 * the last alone is told, so that little is covered; of what can be undone, and of failures, the last three. The same failure again takes the
 * place of the one that is shown; that of an action is told beside that of a reading, which a page repeats.
 *
 *   showDone("Key revoked.");
 *   showDone("Moved.", { label: "Undo", run });
 *   showFailure(failure);   // with its request id to copy; stays until it is closed
 */
import { notifications, notificationsStore } from "@mantine/notifications";
import { createElement } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { FailureMessage } from "./failure-message.tsx";
import { type ToastAction, ToastWithAction } from "./toast-action.tsx";

const FAILURES_MAX = 3;
const UNDOABLE_MAX = 3;
/** As many as are shown at once. */
export const TOASTS_MAX = FAILURES_MAX + UNDOABLE_MAX + 1;
const DONE_MS = 5_000;
/** Long enough to notice what one did, and to reach the button. */
const UNDO_MS = 12_000;
const DONE_PREFIX = "done-";
const UNDOABLE_PREFIX = "undoable-";
const FAILURE_PREFIX = "failure-";
const UNREACHABLE_ID = `${FAILURE_PREFIX}reading-UNREACHABLE`;

/** Of what is done to the same, which `about` names, only the last can be taken back: also where that itself cannot be. */
export function showDone(message: string, action?: ToastAction, about?: string): void {
  hideAll(DONE_PREFIX);
  const id = `${UNDOABLE_PREFIX}${about ?? Math.random()}`;
  notifications.hide(id);
  if (action === undefined) {
    notifications.show({
      id: `${DONE_PREFIX}${Math.random()}`,
      message,
      color: "green",
      autoClose: DONE_MS,
      role: "status",
    });
    return;
  }
  hideAll(UNDOABLE_PREFIX, UNDOABLE_MAX - 1);
  const run = () => {
    notifications.hide(id);
    action.run();
  };
  const shown = createElement(ToastWithAction, { message, label: action.label, onClick: run });
  notifications.show({ id, message: shown, color: "green", autoClose: UNDO_MS, role: "status" });
}

/** Also when a dialog opens: what was done before it would cover its buttons. */
export function hideDone(): void {
  hideAll(DONE_PREFIX);
  hideAll(UNDOABLE_PREFIX);
}

export function showFailure(failure: RequestFailure, of: "action" | "reading" = "action"): void {
  const { code } = failure;
  const isSilence = of === "reading" && code === "UNREACHABLE";
  const id = isSilence ? UNREACHABLE_ID : `${FAILURE_PREFIX}${of}-${code}-${failure.message}`;
  notifications.hide(id);
  hideAll(FAILURE_PREFIX, FAILURES_MAX - 1);
  notifications.show({
    id,
    title: FAULT_TEXTS.toastTitle,
    message: createElement(FailureMessage, { failure }),
    color: "red",
    autoClose: false,
    role: "alert",
  });
}

/** Once the server answers again, the page is current. Actions that failed meanwhile still were not taken. */
export function hideUnreachable(): void {
  notifications.hide(UNREACHABLE_ID);
}

/** All of a sort, but for the latest `left`. */
function hideAll(prefix: string, left = 0): void {
  const { notifications: shown, queue } = notificationsStore.getState();
  const ids = [...shown, ...queue].flatMap(({ id }) => (id?.startsWith(prefix) === true ? id : []));
  for (const id of ids.slice(0, Math.max(0, ids.length - left))) notifications.hide(id);
}
