/**
 * Sends mail where the operator has named a mail server. Nothing depends on it: whoever makes a link sees it too, so a letter that cannot be
 * sent, or not in time, is told to the log and to whoever asked for it.
 */
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
