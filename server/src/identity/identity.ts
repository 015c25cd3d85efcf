/**
 * Who people are and where they belong. What the parts need is put together here; what they do stands in the files beside this one, one
 * for each thing people do.
 */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { sql } from "kysely";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { makeAuth } from "./auth.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { KnownDevices } from "./known-devices.ts";
import { type FaultLog, Mailer, type MailSettings } from "./mailer.ts";
import { findRole, listMemberships } from "./members.ts";
import { PasswordHashing } from "./password-hashing.ts";
import { derive, readSessionSecrets } from "./session-secret.ts";
import { findSignedIn } from "./sessions.ts";
import { TRY_RETENTION_MS } from "./try-windows.ts";
import { findCredential, hasUsers, readNames } from "./users.ts";
import type { SignedInUser, Visit } from "./visit.ts";

const BACKGROUND_MAX = 100;

export interface IdentityOptions {
  readonly store: Store;
  /** LINEUP_SECRET, where it is set. */
  readonly secret: string | undefined;
  readonly mail: MailSettings | undefined;
  readonly publicUrl: string | undefined;
  /** Where the token of the set-up page lies. */
  readonly dataDir: string;
  takeAddress(address: string): number | Promise<number>;
  readonly log: FaultLog;
}

export type Identity = Awaited<ReturnType<typeof openIdentity>>;

export async function openIdentity(options: IdentityOptions) {
  const { store, mail, publicUrl, dataDir, takeAddress, log } = options;
  const secrets = await readSessionSecrets(store, options.secret);
  const [{ value: secret } = { value: "" }] = secrets;
  const onFault = (message: string, err: unknown) => log.error({ err }, `signing in: ${message}`);
  const plain = makeAuth({ store, secrets, onFault }, false);
  const secure = makeAuth({ store, secrets, onFault }, true);
  const mailer = mail && new Mailer(mail, log);
  const background = makeBackground(log);
  const tools: IdentityTools = {
    store,
    authFor: ({ isSecure }) => (isSecure ? secure : plain),
    passwords: new PasswordHashing(),
    devices: new KnownDevices(secret),
    mailer,
    publicUrl,
    tryKey: derive(secret, "tries"),
    takeAddress,
    refusalsToNote: new Set(),
    log,
    inBackground: background.begin,
  };
  const pruning = setInterval(() => background.begin(() => prunePeople(store, Date.now())), PRUNE_EVERY_MS).unref();
  return {
    tools,
    dataDir,
    /** Whose session the visitor holds; with it, the cookies that keep it fresh. */
    findUser: (visit: Visit) => findSignedIn(tools, visit),
    findRole: (userId: string, orgId: string) => findRole(store.operator, userId, orgId),
    nameOf: (userIds: readonly string[]) => readNames(store.operator, userIds),
    describeSession: (user: SignedInUser | undefined, now: number) => describeSession(tools, user, now),
    /** What is under way in the background is waited for. */
    close: async () => {
      clearInterval(pruning);
      await background.settle();
      mailer?.close();
    },
  };
}

/** What nobody waits for but the end of the server. */
function makeBackground(log: FaultLog) {
  const underWay = new Set<Promise<void>>();
  return {
    begin: (work: () => Promise<void>): void => {
      if (underWay.size >= BACKGROUND_MAX) {
        const err = new Error("Too much is under way.");
        log.error({ err }, "signing in: something in the background was left out");
        return;
      }
      const running: Promise<void> = Promise.try(work)
        .catch((err: unknown) => log.error({ err }, "signing in: something in the background failed"))
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    settle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

async function describeSession(
  { store, mailer }: IdentityTools,
  user: SignedInUser | undefined,
  now: number,
): Promise<ActionResult<"getSession">> {
  const common = { sendsMail: mailer !== undefined, now };
  const credential = user && (await findCredential(store.operator, { id: user.id }));
  if (credential === undefined) {
    return { user: null, organizations: [], needsSetup: !(await hasUsers(store.operator)), ...common };
  }
  const { id, name, email, is_operator, two_factor_enabled } = credential.user;
  return {
    user: {
      id,
      name,
      email,
      isOperator: is_operator === 1,
      hasPassword: credential.hash !== undefined,
      hasSecondFactor: two_factor_enabled === 1,
    },
    organizations: await listMemberships(store, id),
    needsSetup: false,
    ...common,
  };
}

export const PRUNE_EVERY_MS = 300_000;
const STEP = 500;
const STEPS_MAX = 200;
/** So that it can still be seen what a link was. */
const LINK_RETENTION_MS = 30 * 86_400_000;

export async function prunePeople(store: Store, now: number): Promise<void> {
  await prune(store, "sign_in_tries", "at", now - TRY_RETENTION_MS);
  await prune(store, "sessions", "expires_at", now);
  await prune(store, "verifications", "expires_at", now);
  await prune(store, "links", "expires_at", now - LINK_RETENTION_MS);
}

type PrunedTable = "sign_in_tries" | "sessions" | "verifications" | "links";

async function prune(store: Store, table: PrunedTable, column: "at" | "expires_at", until: number): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const removed = await store.writePeople(SERVER_ORIGIN, (operator) => {
      const over = operator.selectFrom(table).select("id").where(sql.ref(column), "<=", until).limit(STEP);
      return operator.deleteFrom(table).where("id", "in", over).returning("id").execute();
    });
    if (removed.length < STEP) return;
  }
}
