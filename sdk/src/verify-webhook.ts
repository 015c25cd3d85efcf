/** Webhook messages, signed by https://www.standardwebhooks.com. */
import { WebhookError } from "./lineup-error.ts";
import type { Change, ChangeType } from "./record-types.ts";

interface EventFacts {
  /** The same with each attempt to send it: remember it, and a message that comes twice does no harm. */
  readonly id: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

export interface ChangeEvent extends EventFacts {
  readonly type: ChangeType;
  readonly data: Change;
}

/** The first message of a webhook, and the one of its test button. */
export interface PingEvent extends EventFacts {
  readonly type: "webhook.ping";
  readonly data: { readonly id: string; readonly webhookId: string };
}

export type WebhookEvent = ChangeEvent | PingEvent;

type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedWebhook {
  /** The body as it came, before any JSON parser has seen it. */
  readonly body: string | Uint8Array;
  /** Those of the request: of node:http, of Express, of a Request. */
  readonly headers: HeaderMap | { get(name: string): string | null };
  /** whsec_…, or several while you change from one to another. */
  readonly secret: string | readonly string[];
  /** How old a message may be, or how far ahead; 5 minutes when left out. */
  readonly toleranceMs?: number | undefined;
}

const TOLERANCE_MS = 300_000;
const encoder = new TextEncoder();

/** Gives back the message, or throws a WebhookError: it is not signed with this secret, or may be somebody's copy. */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const { body, secret, toleranceMs = TOLERANCE_MS } = received;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new WebhookError(
      "The body must be given as it came, as text or bytes: what a JSON parser has made of it cannot be verified.",
    );
  }
  const id = headerOf(received, "webhook-id");
  const timestamp = headerOf(received, "webhook-timestamp");
  const signatures = headerOf(received, "webhook-signature").split(" ");
  if (!(Math.abs(Date.now() - Number(timestamp) * 1_000) <= toleranceMs)) {
    throw new WebhookError("The message is too old, or from the future. Is the clock of this machine right?");
  }
  const head = encoder.encode(`${id}.${timestamp}.`);
  const text = typeof body === "string" ? encoder.encode(body) : body;
  const signed = new Uint8Array(head.length + text.length);
  signed.set(head);
  signed.set(text, head.length);
  const secrets = [secret].flat();
  if (secrets.length === 0) readSecret(undefined);
  for (const one of secrets) {
    const key = await crypto.subtle.importKey("raw", readSecret(one), { name: "HMAC", hash: "SHA-256" }, false, [
      "verify",
    ]);
    for (const signature of signatures) {
      const given = signature.startsWith("v1,") ? readBase64(signature.slice(3)) : undefined;
      if (given === undefined || !(await crypto.subtle.verify("HMAC", key, given, signed))) continue;
      const message = JSON.parse(new TextDecoder().decode(text)) as Omit<WebhookEvent, "id">;
      return { ...message, id } as WebhookEvent;
    }
  }
  throw new WebhookError("The message is not signed with this secret.");
}

/** Some frameworks keep the capitals that a proxy has given a name. */
function headerOf({ headers }: ReceivedWebhook, name: string): string {
  const found =
    typeof headers.get === "function"
      ? headers.get(name)
      : Object.entries(headers as HeaderMap).find(([one]) => one.toLowerCase() === name)?.[1];
  // Some give every header as a list.
  const value = Array.isArray(found) && found.length === 1 ? found[0] : found;
  if (typeof value !== "string" || value === "") throw new WebhookError(`The message has no header ${name}.`);
  return value;
}

function readSecret(secret: string | undefined): Uint8Array<ArrayBuffer> {
  const bytes = readBase64(secret?.trim().replace(/^whsec_/, "") ?? "");
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError(
      "The secret is none. It begins with whsec_ and is shown once, when the webhook is made or its secret rotated.",
    );
  }
  return bytes;
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
