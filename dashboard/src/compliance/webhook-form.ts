/** What is asked of a webhook, in Create and in Edit, and what is checked before it is sent. The server checks all of it again. */
import { CHANGE_TYPES, type ChangeType } from "@lineup/api/change-types";
import type { WEBHOOK_DESCRIPTION_MAX, WEBHOOK_URL_MAX, WebhookView } from "@lineup/api/dashboard/webhooks";
import { CREATE_WEBHOOK_TEXTS as TEXTS } from "../texts/create-webhook-texts.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";

/** As the server counts; the records themselves would bring every schema along. */
const URL_MAX: typeof WEBHOOK_URL_MAX = 2_048;
const DESCRIPTION_MAX: typeof WEBHOOK_DESCRIPTION_MAX = 200;

export interface WebhookForm extends Record<string, unknown> {
  url: string;
  description: string;
  isAll: boolean;
  types: ChangeType[];
}

export const NEW_WEBHOOK: WebhookForm = { url: "", description: "", isAll: true, types: [] };

export function formOf({ url, description, types }: WebhookView): WebhookForm {
  return { url, description, isAll: types === null, types: [...(types ?? [])] };
}

export function bodyOf({ url, description, isAll, types }: WebhookForm) {
  return { url: url.trim(), description: description.trim(), types: isAll ? null : types };
}

export function checkWebhook({ url, description, isAll, types }: WebhookForm) {
  return {
    url: checkUrl(url.trim()),
    description: checkLength(description.trim(), DESCRIPTION_MAX),
    types: isAll || types.length > 0 ? null : TEXTS.typesMissing,
  };
}

function checkUrl(url: string): string | null {
  if (url === "") return TEXTS.urlMissing;
  if (/^http:/i.test(url)) return TEXTS.urlNotHttps;
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return TEXTS.urlUnread;
  return checkLength(url, URL_MAX);
}

function checkLength({ length }: string, most: number): string | null {
  return length > most ? COMMON_TEXTS.nameTooLong(most, length) : null;
}

/** In the order of the list of types, whatever the order of clicks. */
export function sortTypes(types: readonly ChangeType[]): ChangeType[] {
  return CHANGE_TYPES.filter((type) => types.includes(type));
}

/** The types by what they begin with, such as `player`. */
export function groupTypes(): Map<string, ChangeType[]> {
  return Map.groupBy(CHANGE_TYPES, (type) => type.slice(0, type.indexOf(".")));
}
