/** The people of the furnished organization, and of one beside it that has nothing yet. */
import type { Role } from "@lineup/api/dashboard/members";
import type { BrowserContext } from "playwright-core";
import { makeLink } from "../../src/identity/links.ts";
import { putMember } from "../../src/identity/members.ts";
import { PasswordHashing } from "../../src/identity/password-hashing.ts";
import { insertUser, type UserRow } from "../../src/identity/users.ts";
import type { Origin } from "../../src/store/audit-entry.ts";
import type { Store } from "../../src/store/store.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import type { TestServer } from "../test-server.ts";

export const PASSWORD = "correct horse battery";

export const PEOPLE = {
  owner: { name: "Kim Larsen", email: "kim@northwind.example", role: "owner" },
  compliance: { name: "Ana Ruiz", email: "ana@northwind.example", role: "compliance" },
  manager: { name: "Jonas Weber", email: "jonas@northwind.example", role: "manager" },
  viewer: { name: "Mei Tanaka", email: "mei@northwind.example", role: "viewer" },
  /** Of the server, and a member of nothing. */
  operator: { name: "Sam Okafor", email: "sam@lineup.example", role: undefined },
  /** Owns the organization that has nothing yet. */
  founder: { name: "Ines Moreau", email: "ines@tidewater.example", role: undefined },
  /** Signs in with a password and a second factor. */
  careful: { name: "Ola Brandt", email: "ola@northwind.example", role: "manager" },
  /** Belongs nowhere. */
  newcomer: { name: "Noor Haddad", email: "noor@example.org", role: undefined },
} as const satisfies Record<string, { name: string; email: string; role: Role | undefined }>;

export type PersonName = keyof typeof PEOPLE;
export type People = Readonly<Record<PersonName, UserRow>>;

const DAY_MS = 86_400_000;
/** They came one after the other. */
const JOINED_DAYS_AGO: Readonly<Record<PersonName, number>> = {
  owner: 210,
  compliance: 180,
  manager: 95,
  viewer: 20,
  operator: 210,
  founder: 1,
  careful: 60,
  newcomer: 0,
};

export async function makePeople(store: Store, orgId: string, emptyOrgId: string, now: number): Promise<People> {
  const passwordHash = await new PasswordHashing().hash(PASSWORD);
  const people: Partial<Record<PersonName, UserRow>> = {};
  for (const [key, { name, email, role }] of Object.entries(PEOPLE)) {
    const person = key as PersonName;
    const at = now - JOINED_DAYS_AGO[person] * DAY_MS;
    people[person] = await store.writePeople(TEST_ORIGIN, async (operator, recording) => {
      const user = await insertUser(operator, { name, email, passwordHash, isOperator: person === "operator" }, at);
      const asOwner = person === "founder" ? { orgId: emptyOrgId, role: "owner" as const } : undefined;
      const membership = asOwner ?? (role === undefined ? undefined : { orgId, role });
      if (membership !== undefined) await putMember(operator, recording, { ...membership, user }, at);
      return user;
    });
  }
  return people as People;
}

/** As if they did it from a browser of theirs. */
export function originOfPerson(user: UserRow, address = "203.0.113.24"): Origin {
  return { kind: "user", id: user.id, name: user.name, address, requestId: null };
}

interface WantedInvitation {
  readonly kind: "invitation";
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
  readonly by: UserRow;
}

type LinkFor = { readonly kind: "sign-in" | "password-reset"; readonly user: UserRow } | WantedInvitation;

/** The token of a link that works once, as the server or an owner makes it. */
export async function makeToken(store: Store, wanted: LinkFor): Promise<string> {
  const { token } = await store.writePeople(TEST_ORIGIN, async (operator) => {
    const now = Date.now();
    if (wanted.kind !== "invitation") {
      return makeLink(operator, { kind: wanted.kind, userId: wanted.user.id, createdBy: "test" }, now);
    }
    const { kind, orgId, email, role, by } = wanted;
    // The newer takes the place of the older.
    await operator.deleteFrom("links").where("kind", "=", kind).where("email", "=", email).execute();
    return makeLink(operator, { kind, orgId, email, role, createdBy: by.id }, now);
  });
  return token;
}

/** Signs a browser in, past the pages. */
export async function enterAs(server: TestServer, context: BrowserContext, user: UserRow): Promise<void> {
  const token = await makeToken(server.store, { kind: "sign-in", user });
  const { origin } = server;
  const answer = await context.request.post("/internal/links/sign-in", { data: { token }, headers: { origin } });
  if (!answer.ok()) throw new Error(`${user.name} was not signed in: ${await answer.text()}`);
}
