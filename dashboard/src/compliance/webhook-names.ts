import type { WebhookView } from "@lineup/api/dashboard/webhooks";

/** What a webhook is called: as it was described, else by its host. */
export function nameWebhook({ description, url }: Pick<WebhookView, "description" | "url">): string {
  return description === "" ? hostOf(url) : description;
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
