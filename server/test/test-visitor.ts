/** Identity on a real store, and browsers that come to it: each keeps the cookies it is given, as a browser does. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionError, ActionErrorCode } from "@lineup/api/dashboard/action";
import type { Role } from "@lineup/api/dashboard/members";
import { expect } from "vitest";
import { createOrganization } from "../src/access/organizations.ts";
import { type Identity, type IdentityOptions, openIdentity } from "../src/identity/identity.ts";
import { putMember } from "../src/identity/members.ts";
import { insertUser, type UserRow } from "../src/identity/users.ts";
import type { SignedInUser, Visit } from "../src/identity/visit.ts";
import { makeId } from "../src/store/ids.ts";
import type { Store } from "../src/store/store.ts";
import { TEST_ORIGIN } from "./test-origin.ts";
import { dropTestStore, openTestStore, runSql } from "./test-store.ts";

export const PASSWORD = "correct horse battery";

export interface TestPeople {
  readonly store: Store;
  readonly identity: Identity;
  readonly dataDir: string;
  /** What was told to the log. */
  readonly faults: string[];
  close(): Promise<void>;
}

export async function openTestPeople(options: Partial<IdentityOptions> = {}): Promise<TestPeople> {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-people-"));
  const store = await openTestStore(dataDir);
  const faults: string[] = [];
  const identity = await openIdentity({
    store,
    secret: undefined,
    mail: undefined,
    publicUrl: undefined,
    dataDir,
    takeAddress: () => 0,
    log: { error: ({ err }, message) => void faults.push(`${message}: ${String(err)}`) },
    ...options,
  });
  return {
    store,
    identity,
    dataDir,
    faults,
    async close() {
      await identity.close();
      await store.close();
      await dropTestStore(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

let passwordHash: Promise<string> | undefined;

/** A user with the password of all tests, unless told otherwise. */
export async function makeUser(
  { store, identity }: TestPeople,
  more: { readonly withoutPassword?: boolean; readonly isOperator?: boolean; readonly email?: string } = {},
): Promise<UserRow> {
  passwordHash ??= identity.tools.passwords.hash(PASSWORD);
  const hash = more.withoutPassword === true ? undefined : await passwordHash;
  const email = more.email ?? `${makeId("user").slice(-12)}@example.com`;
  return store.writePeople(TEST_ORIGIN, (operator) =>
    insertUser(
      operator,
      { name: `Person ${email}`, email, passwordHash: hash, isOperator: more.isOperator ?? false },
      Date.now(),
    ),
  );
}

export async function makeOrganization({ store }: TestPeople, name = "Test organization"): Promise<string> {
  return (await createOrganization(store, { name }, TEST_ORIGIN)).id;
}

export async function addMember({ store }: TestPeople, orgId: string, user: UserRow, role: Role): Promise<void> {
  await store.writePeople(TEST_ORIGIN, (operator, recording) =>
    putMember(operator, recording, { orgId, user, role }, Date.now()),
  );
}

export class Browser {
  readonly jar = new Map<string, string>();
  readonly address: string;
  readonly isSecure: boolean;

  constructor(address = "192.0.2.1", isSecure = false) {
    this.address = address;
    this.isSecure = isSecure;
  }

  visit(now = Date.now()): Visit {
    return {
      requestId: makeId("req"),
      address: this.address,
      userAgent: "Test browser",
      cookie: [...this.jar].map(([name, value]) => `${name}=${value}`).join("; "),
      isSecure: this.isSecure,
      baseUrl: this.isSecure ? "https://lineup.example" : "http://127.0.0.1:3000",
      now,
    };
  }

  /** Takes what an answer sets. */
  keep<T extends { readonly cookies: readonly string[] }>(answer: T): T {
    this.take(answer.cookies);
    return answer;
  }

  take(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [pair = "", ...attributes] = cookie.split("; ");
      expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "SameSite=Lax"]));
      expect(attributes.includes("Secure")).toBe(this.isSecure);
      const equals = pair.indexOf("=");
      const name = pair.slice(0, equals);
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.jar.delete(name);
      else this.jar.set(name, pair.slice(equals + 1));
    }
  }

  async requireUser(identity: Identity): Promise<SignedInUser> {
    const found = await identity.findUser(this.visit());
    if (found === undefined) throw new Error("Nobody is signed in.");
    this.take(found.cookies);
    return found.user;
  }
}

/** That it is refused, with this code; returns the refusal's message. */
export async function expectRefusal(work: Promise<unknown>, code: ActionErrorCode): Promise<string> {
  const error = await work.then(
    () => undefined,
    (refused: ActionError) => refused,
  );
  expect(error).toMatchObject({ name: "ActionError", code });
  return error?.message ?? "";
}

/** What the audit log of a chain says, oldest first. */
export async function readAudit({ dataDir }: TestPeople, chainId: string): Promise<Record<string, unknown>[]> {
  return runSql(dataDir, "SELECT * FROM audit WHERE org_id = ? ORDER BY seq", chainId);
}
