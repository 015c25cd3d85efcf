/**
 * A device is known to an account once somebody has wholly signed in there: it then holds a signed cookie that names the account. Tries
 * to sign in from it are counted in a window of its own, so that strangers who use up the account's tries keep nobody out who has
 * been here before. The cookie opens nothing by itself.
 *
 * A browser that several people share is known to the last few of them.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { cookieName, findCookie, writeCookie } from "./cookies.ts";
import { derive } from "./session-secret.ts";
import type { Visit } from "./visit.ts";

const KEPT_SECONDS = 400 * 86_400;
const ACCOUNTS_MAX = 4;
const ID_BYTES = 15;

export interface KnownDevice {
  readonly id: string;
}

interface Entry extends KnownDevice {
  readonly userId: string;
  readonly sinceSeconds: number;
}

export class KnownDevices {
  readonly #secret: string;

  constructor(sessionSecret: string) {
    this.#secret = derive(sessionSecret, "devices");
  }

  find(visit: Visit, userId: string): KnownDevice | undefined {
    return this.#read(visit).find((entry) => entry.userId === userId);
  }

  /** The cookie that makes the device known to the account from now on. */
  remember(visit: Visit, userId: string): string {
    const entries = this.#read(visit);
    const id = entries.find((entry) => entry.userId === userId)?.id ?? randomBytes(ID_BYTES).toString("base64url");
    const sinceSeconds = Math.floor(visit.now / 1_000);
    const kept = [{ id, userId, sinceSeconds }, ...entries.filter((entry) => entry.userId !== userId)];
    const value = kept.slice(0, ACCOUNTS_MAX).map((entry) => this.#write(entry));
    return writeCookie(cookieName("device", visit.isSecure), value.join("~"), visit.isSecure, KEPT_SECONDS);
  }

  #read(visit: Visit): Entry[] {
    const value = findCookie(visit.cookie, cookieName("device", visit.isSecure)) ?? "";
    const entries = value.split("~", ACCOUNTS_MAX).map((text) => this.#readEntry(text));
    const since = visit.now / 1_000 - KEPT_SECONDS;
    return entries.filter((entry) => entry !== undefined).filter((entry) => entry.sinceSeconds > since);
  }

  #readEntry(text: string): Entry | undefined {
    const [userId = "", id = "", since = "", signature = ""] = text.split(".");
    const expected = Buffer.from(this.#sign(`${userId}.${id}.${since}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return { userId, id, sinceSeconds: Number(since) };
  }

  #write({ userId, id, sinceSeconds }: Entry): string {
    const text = `${userId}.${id}.${sinceSeconds}`;
    return `${text}.${this.#sign(text)}`;
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}
