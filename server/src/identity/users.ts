/** People's accounts, in transactions of the caller's. */
import { randomBytes } from "node:crypto";
import { ActionError } from "@lineup/api/dashboard/action";
import type { ExpressionBuilder, Selectable } from "kysely";
import { type AuditEntry, changesFromNothing, INSTALLATION_CHAIN, type Origin } from "../store/audit-entry.ts";
import { makeId } from "../store/ids.ts";
import type { UsersTable } from "../store/people-tables.ts";
import type { Database } from "../store/schema.ts";
import type { Operator, Recording } from "../store/store.ts";
import type { Visit } from "./visit.ts";

export type UserRow = Selectable<UsersTable>;

/** The provider of those who sign in with a password. */
const CREDENTIAL = "credential";

export interface Credential {
  readonly user: UserRow;
  /** Undefined where the user has no password. */
  readonly hash: string | undefined;
  /** Changes, and never back, with the password and whenever devices are to be strangers again; 0 where there is no password. */
  readonly state: number;
}

export async function findCredential(
  operator: Operator,
  by: { readonly email: string } | { readonly id: string },
): Promise<Credential | undefined> {
  const users = operator
    .selectFrom("users")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.user_id", "=", "users.id").on("accounts.provider_id", "=", CREDENTIAL),
    )
    .selectAll("users")
    .select(["accounts.password", "accounts.updated_at as state"]);
  const found = await ("email" in by
    ? users.where("users.email", "=", by.email)
    : users.where("users.id", "=", by.id)
  ).executeTakeFirst();
  if (found === undefined) return undefined;
  const { password, state, ...user } = found;
  return { user, hash: password ?? undefined, state: state ?? 0 };
}

export async function requireCredential(operator: Operator, id: string): Promise<Credential> {
  const found = await findCredential(operator, { id });
  if (found === undefined) throw userGone();
  return found;
}

export async function requireUserRow(operator: Operator, id: string): Promise<UserRow> {
  const found = await operator.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  if (found === undefined) throw userGone();
  return found;
}

/**
 * Anyone who lets somebody in, or changes what lets them in, claims the user first: what one of them saw stays true until its transaction
 * ends. So no session comes from a password that is being changed at the same moment.
 */
export async function claimUser(operator: Operator, id: string): Promise<UserRow> {
  const [claimed] = await operator
    .updateTable("users")
    .set((eb) => ({ updated_at: eb.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .execute();
  if (claimed === undefined) throw userGone();
  return claimed;
}

function userGone(): ActionError {
  return new ActionError("NOT_FOUND", "There is no such user any more. Load the page again.");
}

export async function findUserRow(operator: Operator, email: string): Promise<UserRow | undefined> {
  return operator.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
}

/** For a command: claimed, as by `claimUser`. */
export async function requireByEmail(operator: Operator, email: string): Promise<UserRow> {
  const found = await findUserRow(operator, email);
  if (found !== undefined) return claimUser(operator, found.id);
  throw new ActionError(
    "NOT_FOUND",
    `Nobody has an account with the email address ${email}. "lineup user list" shows who has.`,
  );
}

const NAMES_AT_ONCE = 500;

/** Names by id; those who are gone are left out. */
export async function readNames(operator: Operator, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const ids = [...new Set(userIds)];
  for (let from = 0; from < ids.length; from += NAMES_AT_ONCE) {
    const some = ids.slice(from, from + NAMES_AT_ONCE);
    const rows = await operator.selectFrom("users").select(["id", "name"]).where("id", "in", some).execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

export async function hasUsers(operator: Operator): Promise<boolean> {
  return (await operator.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

export interface NewUser {
  /** Where it has to be known before. */
  readonly id?: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash?: string | undefined;
  readonly isOperator?: boolean;
}

export async function insertUser(operator: Operator, wanted: NewUser, now: number): Promise<UserRow> {
  const row: UserRow = {
    id: wanted.id ?? makeId("user"),
    name: wanted.name,
    email: wanted.email,
    email_verified: 0,
    image: null,
    is_operator: Number(wanted.isOperator ?? false),
    two_factor_enabled: 0,
    created_at: now,
    updated_at: now,
  };
  const [made] = await operator
    .insertInto("users")
    .values(row)
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .execute();
  if (made === undefined) throw emailTaken();
  if (wanted.passwordHash !== undefined) await setPasswordHash(operator, row.id, wanted.passwordHash, now);
  return row;
}

export function emailTaken(): ActionError {
  const message = "Somebody has an account with this email address already. Choose another one.";
  return new ActionError("CONFLICT", message, [{ field: "email", message: "is taken" }]);
}

export async function setPasswordHash(operator: Operator, userId: string, hash: string, now: number): Promise<void> {
  const changed = await operator
    .updateTable("accounts")
    .set((eb) => ({ password: hash, updated_at: nextState(eb, now) }))
    .where("user_id", "=", userId)
    .where("provider_id", "=", CREDENTIAL)
    .returning("id")
    .execute();
  if (changed.length > 0) return;
  const id = randomBytes(18).toString("base64url");
  await operator
    .insertInto("accounts")
    .values({
      id,
      user_id: userId,
      account_id: userId,
      provider_id: CREDENTIAL,
      password: hash,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** Every device that was known to the account is a stranger from now on. */
export async function forgetKnownDevices(operator: Operator, userId: string, now: number): Promise<void> {
  await operator
    .updateTable("accounts")
    .set((eb) => ({ updated_at: nextState(eb, now) }))
    .where("user_id", "=", userId)
    .where("provider_id", "=", CREDENTIAL)
    .execute();
}

/** The moment, but later than any before, whatever the clocks of several servers say. */
function nextState(eb: ExpressionBuilder<Database, "accounts">, now: number) {
  return eb
    .case()
    .when("updated_at", ">=", now)
    .then(eb("updated_at", "+", 1))
    .else(now)
    .end();
}

/** How many there were. */
export async function endSessions(operator: Operator, userId: string, exceptId?: string): Promise<number> {
  let sessions = operator.deleteFrom("sessions").where("user_id", "=", userId);
  if (exceptId !== undefined) sessions = sessions.where("id", "!=", exceptId);
  return (await sessions.returning("id").execute()).length;
}

/** Devices on which the second factor is not asked for, and sign-ins that wait for it. */
export async function forgetTrustedDevices(operator: Operator, userId: string): Promise<void> {
  await operator.deleteFrom("verifications").where("value", "=", userId).execute();
}

export interface NamedUser {
  readonly id: string;
  readonly name: string;
}

/** Tells the audit log what a user did or what was done to them: in every organization they belong to, or, in none, in the installation's. */
export async function recordOfUser(
  operator: Operator,
  { record }: Recording,
  { id, name }: NamedUser,
  entry: Omit<AuditEntry, "target">,
): Promise<void> {
  const rows = await operator.selectFrom("members").select("org_id").where("user_id", "=", id).execute();
  const chains = rows.length === 0 ? [INSTALLATION_CHAIN] : rows.map((row) => row.org_id);
  for (const chain of chains) await record(chain, [{ ...entry, target: { kind: "user", id, name } }]);
}

export async function recordCreation(
  operator: Operator,
  recording: Recording,
  user: NamedUser & { readonly email: string },
  now: number,
): Promise<void> {
  const changes = changesFromNothing({ name: user.name, email: user.email });
  await recordOfUser(operator, recording, user, { at: now, action: "user.created", changes });
}

/** The user, where the request came from. */
export function originOf({ id, name }: NamedUser, visit: Visit): Origin {
  return { kind: "user", id, name, address: visit.address, requestId: visit.requestId };
}
