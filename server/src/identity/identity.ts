/**
 * Who people are and where they belong. What the parts need is put together here; what they do stands in the files beside this one, one
 * for each thing people do.
 */
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { Role } from "@lineup/api/dashboard/members";
import { type Origin, SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { type Auth, makeAuth } from "./auth.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { invite, type WantedInvitation } from "./invitations.ts";
import { KnownDevices } from "./known-devices.ts";
import { type FaultLog, Mailer, type MailSettings } from "./mailer.ts";
import { findRole, listMemberships } from "./members.ts";
import { PasswordHashing } from "./password-hashing.ts";
import { derive, readSessionSecrets } from "./session-secret.ts";
import { type FoundUser, findSignedIn } from "./sessions.ts";
import { pruneTries } from "./try-windows.ts";
import { findCredential, hasUsers } from "./users.ts";
import type { SignedInUser, Visit } from "./visit.ts";

const BACKGROUND_MAX = 100;
const NAMES_AT_ONCE = 500;

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

export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const secrets = await readSessionSecrets(options.store, options.secret);
  const { log } = options;
  const authOptions = {
    store: options.store,
    secrets,
    onFault: (message: string, err: unknown) => log.error({ err }, `signing in: ${message}`),
  };
  const [{ value: secret } = { value: "" }] = secrets;
  return new Identity(options, {
    plain: makeAuth(authOptions, false),
    secure: makeAuth(authOptions, true),
    secret,
  });
}

interface Keys {
  readonly plain: Auth;
  readonly secure: Auth;
  readonly secret: string;
}

export class Identity {
  readonly tools: IdentityTools;
  readonly dataDir: string;
  readonly #store: Store;
  readonly #log: FaultLog;
  readonly #underWay = new Set<Promise<void>>();
  readonly #pruning: NodeJS.Timeout;

  constructor(options: IdentityOptions, { plain, secure, secret }: Keys) {
    this.#store = options.store;
    this.#log = options.log;
    this.dataDir = options.dataDir;
    this.tools = {
      store: options.store,
      authFor: ({ isSecure }) => (isSecure ? secure : plain),
      passwords: new PasswordHashing(),
      devices: new KnownDevices(secret),
      mailer: options.mail && new Mailer(options.mail, options.log),
      publicUrl: options.publicUrl,
      tryKey: derive(secret, "tries"),
      takeAddress: (address) => options.takeAddress(address),
      refusalsToNote: new Set(),
      log: options.log,
      inBackground: (work) => this.#inBackground(work),
    };
    this.#pruning = setInterval(() => this.#inBackground(() => prunePeople(this.#store, Date.now())), PRUNE_EVERY_MS);
    this.#pruning.unref();
  }

  get sendsMail(): boolean {
    return this.tools.mailer !== undefined;
  }

  /** Whose session the visitor holds; with it, the cookies that keep it fresh. */
  findUser(visit: Visit): Promise<FoundUser | undefined> {
    return findSignedIn(this.tools, visit);
  }

  findRole(userId: string, orgId: string): Promise<Role | undefined> {
    return findRole(this.#store, userId, orgId);
  }

  invite(visit: Visit, origin: Origin, wanted: WantedInvitation): Promise<ActionResult<"invite">> {
    return invite(this.tools, visit, origin, wanted);
  }

  async needsSetup(): Promise<boolean> {
    return !(await hasUsers(this.#store.operator));
  }

  /** Names by id; those who are gone are left out. */
  async nameOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    const ids = [...new Set(userIds)];
    for (let from = 0; from < ids.length; from += NAMES_AT_ONCE) {
      const rows = await this.#store.operator
        .selectFrom("users")
        .select(["id", "name"])
        .where("id", "in", ids.slice(from, from + NAMES_AT_ONCE))
        .execute();
      for (const { id, name } of rows) names.set(id, name);
    }
    return names;
  }

  async describeSession(user: SignedInUser | undefined, now: number): Promise<ActionResult<"getSession">> {
    const common = { sendsMail: this.sendsMail, now };
    const credential = user && (await findCredential(this.#store.operator, { id: user.id }));
    if (credential === undefined) {
      return { user: null, organizations: [], needsSetup: await this.needsSetup(), ...common };
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
      organizations: await listMemberships(this.#store, id),
      needsSetup: false,
      ...common,
    };
  }

  /** What is under way in the background is waited for. */
  async close(): Promise<void> {
    clearInterval(this.#pruning);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.tools.mailer?.close();
  }

  #inBackground(work: () => Promise<void>): void {
    if (this.#underWay.size >= BACKGROUND_MAX) {
      this.#log.error(
        { err: new Error("Too much is under way.") },
        "signing in: something in the background was left out",
      );
      return;
    }
    const running: Promise<void> = Promise.try(work)
      .catch((err: unknown) => this.#log.error({ err }, "signing in: something in the background failed"))
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
  }
}

export const PRUNE_EVERY_MS = 300_000;
const STEP = 500;
const STEPS_MAX = 200;
/** So that it can still be seen what a link was. */
const LINKS_KEPT_MS = 30 * 86_400_000;

export async function prunePeople(store: Store, now: number): Promise<void> {
  await inSteps(() => pruneTries(store, now));
  await inSteps(() => prune(store, "sessions", now));
  await inSteps(() => prune(store, "verifications", now));
  await inSteps(() => prune(store, "links", now - LINKS_KEPT_MS));
}

async function prune(store: Store, table: "sessions" | "verifications" | "links", until: number): Promise<number> {
  return store.writePeople(SERVER_ORIGIN, async (operator) => {
    const over = operator.selectFrom(table).select("id").where("expires_at", "<=", until).limit(STEP);
    return (await operator.deleteFrom(table).where("id", "in", over).returning("id").execute()).length;
  });
}

async function inSteps(step: () => Promise<number>): Promise<void> {
  for (let taken = 0; taken < STEPS_MAX; taken++) {
    if ((await step()) < STEP) return;
  }
}
