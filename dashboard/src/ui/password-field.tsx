/** A password, with a button that shows it, also by keyboard. Takes what PasswordInput takes; `kind` says whether it is chosen or typed again. */
import { PasswordInput } from "@mantine/core";
import { useState } from "react";
import { FIELD_TEXTS } from "../texts/entry-texts.ts";

export interface PasswordFieldProps extends PasswordInput.Props {
  readonly kind: "current" | "new";
}

export function PasswordField({ kind, ...props }: PasswordFieldProps) {
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      autoComplete={kind === "new" ? "new-password" : "current-password"}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ "aria-label": visible ? FIELD_TEXTS.hidePassword : FIELD_TEXTS.showPassword }}
      {...(kind === "new" ? { description: FIELD_TEXTS.newPasswordHint } : {})}
      {...props}
    />
  );
}
