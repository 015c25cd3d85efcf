/**
 * Short messages in a corner, read out by screen readers.
 *
 *   showDone("Key revoked.");
 *   showFailure(failure);   // with its request id to copy; stays until it is closed
 */
import { notifications } from "@mantine/notifications";
import { createElement } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { FailureMessage } from "./failure-message.tsx";

const DONE_MS = 5_000;

export function showDone(message: string): void {
  notifications.show({ message, color: "green", autoClose: DONE_MS, role: "status" });
}

export function showFailure(failure: RequestFailure): void {
  notifications.show({
    // The same fault again takes the place of the one that is shown.
    id: `failure-${failure.code}-${failure.message}`,
    title: FAULT_TEXTS.toastTitle,
    message: createElement(FailureMessage, { failure }),
    color: "red",
    autoClose: false,
    role: "alert",
  });
}
