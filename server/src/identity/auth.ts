/**
 * The authentication library as we use it: called as functions, never mounted on a path. It signs in, keeps sessions, asks for the second
 * factor and writes the cookies; whatever else it could do is closed, because nothing leads there. Users, members, links and
 * passwords are changed by our own code, in the transactions that also tell the audit log.
 */
import { randomBytes, randomInt } from "node:crypto";
import { PASSWORD_MAX, PASSWORD_MIN } from "@lineup/api/dashboard/account";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { betterAuth } from "better-auth/minimal";
import { twoFactor } from "better-auth/plugins/two-factor";
import * as z from "zod";
import type { Store } from "../store/store.ts";
import { authAdapter } from "./auth-adapter.ts";
import { requireAuthWork } from "./auth-work.ts";
import type { SessionSecret } from "./session-secret.ts";
import { cookiePrefix, type Visit } from "./visit.ts";

const DAY_SECONDS = 86_400;
const SESSION_SECONDS = 30 * DAY_SECONDS;
/** How long after its last prolonging a session in use is prolonged again; so it is known when it was last seen. */
const PROLONG_AFTER_SECONDS = 300;
const TRUST_DEVICE_SECONDS = 30 * DAY_SECONDS;
const CHALLENGE_SECONDS = 600;

export interface AuthOptions {
  readonly store: Store;
  readonly secrets: readonly SessionSecret[];
  onFault(message: string, error: unknown): void;
}

export type Auth = ReturnType<typeof makeAuth>;

/** Two of them: over HTTPS the cookies are named and marked as secure, on this machine alone they cannot be. */
export function makeAuth({ store, secrets, onFault }: AuthOptions, isSecure: boolean) {
  return betterAuth({
    appName: "Lineup",
    // Nothing is served under it: it only keeps the library from guessing one.
    baseURL: isSecure ? "https://lineup.invalid" : "http://lineup.invalid",
    database: authAdapter(store),
    secrets: secrets.map(({ version, value }) => ({ version, value })),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { log: (level, message, ...more) => (level === "error" ? onFault(message, more[0]) : undefined) },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      password: {
        hash: () => Promise.reject(new Error("Passwords are hashed by PasswordHashing.")),
        verify: async ({ hash }) => requireAuthWork().provenHash === hash,
      },
    },
    user: { additionalFields: { isOperator: { type: "boolean", input: false, defaultValue: false } } },
    session: {
      expiresIn: SESSION_SECONDS,
      updateAge: PROLONG_AFTER_SECONDS,
      // Looking writes nothing; prolonging is asked for.
      deferSessionRefresh: true,
      // A session that was ended is refused at once.
      cookieCache: { enabled: false },
    },
    verification: { disableCleanup: true, storeIdentifier: "hashed" },
    advanced: {
      cookiePrefix: cookiePrefix(isSecure),
      // The library would put a weaker prefix before ours.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, path: "/" },
      ipAddress: { disableIpTracking: true },
      database: { generateId: () => randomBytes(18).toString("base64url") },
    },
    plugins: [
      twoFactor({
        issuer: "Lineup",
        trustDeviceMaxAge: TRUST_DEVICE_SECONDS,
        twoFactorCookieMaxAge: CHALLENGE_SECONDS,
        // Wrong codes are counted as wrong passwords are, which keeps nobody out on a device that is known.
        accountLockout: { enabled: false },
        backupCodeOptions: { customBackupCodesGenerate: makeRecoveryCodes },
      }),
      { id: "lineup", endpoints: { startSession, findChallenge } },
    ],
  });
}

/** Signs a user in by other proof than a password, such as a link that works once. */
const startSession = createAuthEndpoint.serverOnly(
  { method: "POST", body: z.object({ userId: z.string() }) },
  async (ctx) => {
    const { internalAdapter } = ctx.context;
    const user = await internalAdapter.findUserById(ctx.body.userId);
    if (user === null) throw new Error("The user is gone.");
    const session = await internalAdapter.createSession(user.id);
    await setSessionCookie(ctx, { session, user });
    return { sessionId: session.id };
  },
);

/** Whose second factor is being asked for. */
const findChallenge = createAuthEndpoint.serverOnly({ method: "POST", requireHeaders: true }, async (ctx) => {
  const { name } = ctx.context.createAuthCookie("two_factor");
  const identifier = await ctx.getSignedCookie(name, ctx.context.secret);
  if (typeof identifier !== "string") return null;
  const found = await ctx.context.internalAdapter.findVerificationValue(identifier);
  return found === null || found.expiresAt < new Date() ? null : { userId: found.value };
});

export function headersOf(visit: Visit, cookie = visit.cookie): Headers {
  return new Headers({ cookie });
}

/** Recovery codes stand in for the second factor, each once. People write them down and type them in, so none has letters that look alike. */
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const CODES = 10;
/** Of five bits each. */
const CODE_LENGTH = 10;

function makeRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const code = Array.from({ length: CODE_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
    return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
  });
}

/** As it was made, however it was typed. */
export function readRecoveryCode(typed: string): string {
  const letters = typed
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return `${letters.slice(0, CODE_LENGTH / 2)}-${letters.slice(CODE_LENGTH / 2)}`;
}
