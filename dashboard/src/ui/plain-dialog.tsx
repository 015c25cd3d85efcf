/** A dialog with our heading and close button. PlainDialog { isOpen, title, onClose, size?, children, isFirm? }; isFirm: only its buttons close it. */
import { Modal, type ModalProps } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import classes from "./plain-dialog.module.css";
import { hideDone } from "./toasts.ts";
import { useFocusBack } from "./use-focus-back.ts";

export interface PlainDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: ModalProps["size"];
  readonly isFirm?: boolean;
  readonly children: ReactNode;
}

export function PlainDialog({ isOpen, title, onClose, size = "md", isFirm = false, children }: PlainDialogProps) {
  useFocusBack(isOpen);
  useEffect(() => {
    if (isOpen) hideDone();
  }, [isOpen]);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      closeOnClickOutside={!isFirm}
      closeOnEscape={!isFirm}
      withCloseButton={!isFirm}
      closeButtonProps={{ "aria-label": COMMON_TEXTS.close }}
      classNames={{ title: classes.title ?? "" }}
    >
      {children}
    </Modal>
  );
}
