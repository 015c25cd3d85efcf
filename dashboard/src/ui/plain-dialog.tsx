/**
 * A dialog with our heading and close button. PlainDialog { isOpen, title, onClose, size?, children, isFirm?, onChanged? }
 *   isFirm     only its buttons close it
 *   onChanged  something was typed or chosen
 * Once something was typed or chosen in it, a click beside it or Escape closes it no longer: both happen by accident, and what was typed would be lost.
 */
import { Modal, type ModalProps } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import classes from "./plain-dialog.module.css";
import { hideDone } from "./toasts.ts";
import { useOnTop } from "./use-on-top.ts";

const CHOICE = "[role=option], [aria-pressed]";

export interface PlainDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: ModalProps["size"];
  readonly isFirm?: boolean;
  readonly onChanged?: () => void;
  readonly children: ReactNode;
}

export function PlainDialog(props: PlainDialogProps) {
  const { isOpen, title, onClose, size = "md", isFirm = false, onChanged, children } = props;
  const isOnTop = useOnTop(isOpen);
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    hideDone();
    return () => setChanged(false);
  }, [isOpen]);
  const change = () => {
    setChanged(true);
    onChanged?.();
  };
  const isLoose = !isFirm && !isChanged;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      closeOnClickOutside={isLoose}
      closeOnEscape={isLoose && isOnTop}
      withCloseButton={!isFirm}
      closeButtonProps={{ "aria-label": COMMON_TEXTS.close }}
      onInput={change}
      // What is chosen from a list is no input.
      onClick={({ target }) => target instanceof Element && target.closest(CHOICE) !== null && change()}
      data-changed={isChanged || undefined}
      classNames={{ title: classes.title ?? "" }}
    >
      {children}
    </Modal>
  );
}
