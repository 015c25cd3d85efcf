/**
 * Sends mail where the operator has named a mail server. Nothing depends on it: anyone who makes a link sees it too, so a letter that cannot be
 * sent, or not in time, is told to the log and to the one who asked for it.
 */

import type { Role } from "@lineup/api/dashboard/members";
import { createTransport, type Transporter } from "nodemailer";

/** A log as far as identity needs one: for errors that reach nobody else. */
export interface FaultLog {
  error(details: { readonly err: unknown }, message: string): void;
}

const STEP_TIMEOUT_MS = 10_000;
const SEND_TIMEOUT_MS = 15_000;
/** Letters under way at once; past them, none is begun. */
const AT_ONCE_MAX = 20;

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface MailSettings {
  readonly smtpUrl: string;
  readonly from: string;
}

export class Mailer {
  readonly #transport: Transporter;
  readonly #from: string;
  readonly #log: FaultLog;
  readonly #timeoutMs: number;
  #underWay = 0;

  constructor(settings: MailSettings, log: FaultLog, timeoutMs = SEND_TIMEOUT_MS) {
    this.#transport = createTransport({
      url: settings.smtpUrl,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      dnsTimeout: STEP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.#from = settings.from;
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether the mail server took it. */
  async send(letter: Letter): Promise<boolean> {
    if (this.#underWay >= AT_ONCE_MAX) {
      this.#log.error({ err: new Error("Too many letters are under way.") }, "a letter was not sent");
      return false;
    }
    this.#underWay += 1;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("The mail server took too long.")), this.#timeoutMs);
    try {
      const sending = this.#transport.sendMail({ from: this.#from, ...letter });
      // What comes of it after all is nobody's concern any more.
      sending.catch(() => undefined);
      await Promise.race([sending, late.promise]);
      return true;
    } catch (err) {
      this.#log.error({ err }, "a letter could not be sent; check LINEUP_SMTP_URL and LINEUP_MAIL_FROM");
      return false;
    } finally {
      clearTimeout(timer);
      this.#underWay -= 1;
    }
  }

  close(): void {
    this.#transport.close();
  }
}

export function invitationLetter(invitation: {
  readonly email: string;
  readonly role: Role;
  readonly organization: string;
  readonly invitedBy: string;
  readonly link: string;
  readonly expiresAt: number;
}): Letter {
  const organization = oneLine(invitation.organization);
  return {
    to: invitation.email,
    subject: `Join ${organization} on Lineup`,
    text: `${oneLine(invitation.invitedBy)} has invited you to join ${organization} on Lineup, as ${invitation.role}.

Open this link to accept. It works once, until ${formatDay(invitation.expiresAt)}:

${invitation.link}

If you did not expect this, you need not do anything.
`,
  };
}

export function resetLetter(reset: {
  readonly email: string;
  readonly link: string;
  readonly expiresAt: number;
}): Letter {
  return {
    to: reset.email,
    subject: "Choose a new password for Lineup",
    text: `Open this link to choose a new password for Lineup. It works once, until ${formatDay(reset.expiresAt)}:

${reset.link}

If you did not ask for it, you need not do anything: your password stays as it is.
`,
  };
}

/** About an endpoint that takes nothing. Its address is not in it: that may hold a secret of the receiver's. */
export function webhookLetter(webhook: {
  readonly email: string;
  readonly organization: string;
  readonly host: string;
  readonly description: string;
  readonly what: "failing" | "disabled";
  readonly failingSince: number;
  readonly disablesAt: number;
  readonly page: string;
}): Letter {
  const organization = oneLine(webhook.organization);
  const host = oneLine(webhook.host);
  const called = webhook.description === "" ? host : `${host} (${oneLine(webhook.description)})`;
  const since = formatDay(webhook.failingSince);
  const isDisabled = webhook.what === "disabled";
  const subject = isDisabled ? `The webhook to ${host} was disabled` : `The webhook to ${host} keeps failing`;
  const then = isDisabled
    ? "It was disabled. Nothing is lost: once the endpoint works, enable the webhook, and what came meanwhile is sent."
    : `If nothing is taken until ${formatDay(webhook.disablesAt)}, it is disabled. Nothing is lost by that.`;
  return {
    to: webhook.email,
    subject,
    text: `A webhook of ${organization} on Lineup, to ${called}, has taken no message since ${since}.

${then}

What was attempted, and what came of it:

${webhook.page}
`,
  };
}

function formatDay(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Names are people's own; they must not look like more of the letter. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
