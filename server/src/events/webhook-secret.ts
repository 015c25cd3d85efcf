/**
 * The secrets that webhooks are signed with. A receiver holds one and we hold it too, so it cannot be stored as a hash: it is stored
 * encrypted, under a key that comes from the server's own secret, which is not in the database. Each is bound to its webhook.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** As it is shown, once. */
export function makeWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** What stands in `webhook-signature`, by https://www.standardwebhooks.com: one for each secret that holds. */
export function signMessage(
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${message.id}.${message.timestamp}.${message.body}`;
  return secrets
    .map((secret) => Buffer.from(secret.slice(PREFIX.length), "base64"))
    .map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`)
    .join(" ");
}

export class SecretBox {
  readonly #key: Buffer;

  constructor(serverSecret: string) {
    this.#key = Buffer.from(hkdfSync("sha256", serverSecret, "", "lineup webhook secrets", 32));
  }

  close(webhookId: string, secret: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(webhookId));
    const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Undefined where it was closed under another server's secret. */
  open(webhookId: string, closed: string): string | undefined {
    const bytes = Buffer.from(closed, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const cipher = createDecipheriv("aes-256-gcm", this.#key, nonce)
      .setAAD(Buffer.from(webhookId))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + cipher.final("utf8");
    } catch {
      return undefined;
    }
  }
}
