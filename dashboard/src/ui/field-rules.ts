/** What is checked before a form is sent; the server checks all of it again. */
import { FIELD_TEXTS, PASSWORD_LENGTH } from "../texts/entry-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";

export function requireText(value: string): string | null {
  return value.trim() === "" ? FIELD_TEXTS.missing : null;
}

/** As the server counts. */
const NAME_MAX = 200;

/** Nothing typed is cut off in silence: a name that is too long is said to be. */
export function requireName(value: string): string | null {
  const { length } = value.trim();
  return length > NAME_MAX ? COMMON_TEXTS.nameTooLong(NAME_MAX, length) : requireText(value);
}

export function requireEmail(value: string): string | null {
  return /^\S+@\S+\.\S+$/.test(value.trim()) ? null : FIELD_TEXTS.notEmail;
}

export function requireNewPassword(value: string): string | null {
  return value.length < PASSWORD_LENGTH.min ? FIELD_TEXTS.tooShort : null;
}
