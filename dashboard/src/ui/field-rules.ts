/** What is checked before a form is sent; the server checks all of it again. */
import { FIELD_TEXTS, PASSWORD_LENGTH } from "../texts/entry-texts.ts";

export function requireText(value: string): string | null {
  return value.trim() === "" ? FIELD_TEXTS.missing : null;
}

export function requireEmail(value: string): string | null {
  return /^\S+@\S+\.\S+$/.test(value.trim()) ? null : FIELD_TEXTS.notEmail;
}

export function requireNewPassword(value: string): string | null {
  return value.length < PASSWORD_LENGTH.min ? FIELD_TEXTS.tooShort : null;
}
