/**
 * A device is known to an account once somebody has wholly signed in there: it then holds a signed cookie that names the account. Tries
 * to sign in from known devices are counted in a window of their own, so that strangers who use up the account's tries keep nobody out
 * who has been here before. The cookie opens nothing by itself.
 *
 * What always holds: a cookie is of one state of the account's credential, and only of that. A new password, signing out everywhere and
 * switching on the second factor begin a new state, in the transaction that does it; every cookie from before is then a stranger's.
 *
 * A browser that several people share is known to the last few of them.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { derive } from "./session-secret.ts";
import type { Credential } from "./users.ts";
import { cookieName, findCookie, type Visit } from "./visit.ts";

const COOKIE_SECONDS = 400 * 86_400;
const ACCOUNTS_MAX = 4;

interface Entry {
  readonly userId: string;
  readonly state: number;
  readonly sinceSeconds: number;
}

export class KnownDevices {
  readonly #secret: string;

  constructor(sessionSecret: string) {
    this.#secret = derive(sessionSecret, "devices");
  }

  isKnown(visit: Visit, { user, state }: Credential): boolean {
    return this.#read(visit).some((entry) => entry.userId === user.id && entry.state === state);
  }

  /** The cookie that makes the device known to the account from now on. The credential is one of the transaction that claimed the user. */
  remember(visit: Visit, { user, state }: Credential): string {
    const sinceSeconds = Math.floor(visit.now / 1_000);
    const others = this.#read(visit).filter((entry) => entry.userId !== user.id);
    const entries = [{ userId: user.id, state, sinceSeconds }, ...others];
    const written = entries.slice(0, ACCOUNTS_MAX).map((entry) => this.#write(entry));
    const cookie = `${cookieName("device", visit.isSecure)}=${written.join("~")}; Max-Age=${COOKIE_SECONDS}`;
    return `${cookie}; Path=/; HttpOnly; SameSite=Lax${visit.isSecure ? "; Secure" : ""}`;
  }

  #read(visit: Visit): Entry[] {
    const value = findCookie(visit.cookie, cookieName("device", visit.isSecure)) ?? "";
    const entries = value.split("~", ACCOUNTS_MAX).map((text) => this.#readEntry(text));
    const since = visit.now / 1_000 - COOKIE_SECONDS;
    return entries.filter((entry) => entry !== undefined).filter((entry) => entry.sinceSeconds > since);
  }

  #readEntry(text: string): Entry | undefined {
    const [userId = "", state = "", since = "", signature = ""] = text.split(".");
    const expected = Buffer.from(this.#sign(`${userId}.${state}.${since}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return { userId, state: Number(state), sinceSeconds: Number(since) };
  }

  #write({ userId, state, sinceSeconds }: Entry): string {
    const text = `${userId}.${state}.${sinceSeconds}`;
    return `${text}.${this.#sign(text)}`;
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("base64url");
  }
}
