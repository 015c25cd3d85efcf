/**
 * Short messages in a corner, read out by screen readers. The newest is seen at once and waits for none: of what was done
 * the last alone is told, so that little is covered; of failures the last three.
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
/** As many as are shown at once. */
export const TOASTS_MAX = FAILURES_MAX + 1;
const DONE_MS = 5_000;
/** Long enough to notice what one did, and to reach the button. */
const UNDO_MS = 12_000;
const DONE_PREFIX = "done-";

export function showDone(message: string, action?: ToastAction): void {
  const id = `${DONE_PREFIX}${Math.random()}`;
  hideDone();
  if (action === undefined) {
    notifications.show({ id, message, color: "green", autoClose: DONE_MS, role: "status" });
    return;
  }
  const run = () => {
    notifications.hide(id);
    action.run();
  };
  const shown = createElement(ToastWithAction, { message, label: action.label, onClick: run });
  notifications.show({ id, message: shown, color: "green", autoClose: UNDO_MS, role: "status" });
}

/** Also when a dialog opens: what was done before it would cover its buttons. */
export function hideDone(): void {
  for (const id of listIds().filter(isOfDone)) notifications.hide(id);
}

export function showFailure(failure: RequestFailure): void {
  const id = `failure-${failure.code}-${failure.message}`;
  // The same fault again takes the place of the one that is shown.
  notifications.hide(id);
  const [oldest, ...others] = listIds().filter((each) => !isOfDone(each));
  if (oldest !== undefined && others.length + 1 >= FAILURES_MAX) notifications.hide(oldest);
  notifications.show({
    id,
    title: FAULT_TEXTS.toastTitle,
    message: createElement(FailureMessage, { failure }),
    color: "red",
    autoClose: false,
    role: "alert",
  });
}

function listIds(): string[] {
  const { notifications: shown, queue } = notificationsStore.getState();
  return [...shown, ...queue].flatMap(({ id }) => id ?? []);
}

function isOfDone(id: string): boolean {
  return id.startsWith(DONE_PREFIX);
}
