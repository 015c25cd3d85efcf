/**
 * Links that work once. A link's token is random and stands nowhere but in the link itself, behind a `#`, which browsers send to no server;
 * the store has its hash. Using one is a single statement that only one of several users can win, in the transaction that does
 * what the link is for: it is done and the link is used up, or neither.
 */

import { hash, randomBytes } from "node:crypto";
import { ActionError } from "@lineup/api/dashboard/action";
import type { Role } from "@lineup/api/dashboard/members";
import { DAY_MS } from "@lineup/api/tiers";
import type { Selectable } from "kysely";
import { makeId } from "../store/ids.ts";
import type { LinkKind, LinksTable } from "../store/people-tables.ts";
import type { Operator, Recording } from "../store/store.ts";
import { claimUser, recordOfUser, type UserRow } from "./users.ts";

const TOKEN_BYTES = 32;

const LINK_LIFE_MS: Readonly<Record<LinkKind, number>> = {
  setup: 30 * DAY_MS,
  "sign-in": DAY_MS,
  invitation: 7 * DAY_MS,
  "password-reset": DAY_MS,
};

export type LinkRow = Selectable<LinksTable>;

export interface MadeLink {
  readonly id: string;
  /** Shown this once. */
  readonly token: string;
  readonly expiresAt: number;
}

export interface WantedLink {
  readonly kind: LinkKind;
  readonly orgId?: string;
  readonly userId?: string;
  readonly email?: string;
  readonly role?: Role;
  /** A user's id, or the name of a command. */
  readonly createdBy: string;
}

export async function makeLink(operator: Operator, wanted: WantedLink, now: number): Promise<MadeLink> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const row: LinkRow = {
    id: makeId("link"),
    token_hash: hash("sha256", token),
    kind: wanted.kind,
    org_id: wanted.orgId ?? null,
    user_id: wanted.userId ?? null,
    email: wanted.email ?? null,
    role: wanted.role ?? null,
    created_by: wanted.createdBy,
    created_at: now,
    expires_at: now + LINK_LIFE_MS[wanted.kind],
    used_at: null,
  };
  await operator.insertInto("links").values(row).execute();
  return { id: row.id, token, expiresAt: row.expires_at };
}

export function linkUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/link#${token}`;
}

export async function requireLink(
  operator: Operator,
  token: string,
  kind: LinkKind | undefined,
  now: number,
): Promise<LinkRow> {
  const found = await operator
    .selectFrom("links")
    .selectAll()
    .where("token_hash", "=", hash("sha256", token))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (found === undefined || (kind !== undefined && found.kind !== kind)) throw spent();
  return found;
}

/** Throws unless the link is there to be used, and then it is used up. */
export async function takeLink(operator: Operator, token: string, kind: LinkKind, now: number): Promise<LinkRow> {
  const [taken] = await operator
    .updateTable("links")
    .set({ used_at: now })
    .where("token_hash", "=", hash("sha256", token))
    .where("kind", "=", kind)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returningAll()
    .execute();
  if (taken === undefined) throw spent();
  return taken;
}

/** Links with which somebody could get into the account. */
export async function voidLinksOf(
  operator: Operator,
  userId: string,
  which: { readonly kinds?: readonly LinkKind[]; readonly createdBy?: string } = {},
): Promise<void> {
  let open = operator
    .deleteFrom("links")
    .where("user_id", "=", userId)
    .where("kind", "in", which.kinds ?? ["sign-in", "password-reset"])
    .where("used_at", "is", null);
  if (which.createdBy !== undefined) open = open.where("created_by", "=", which.createdBy);
  await open.execute();
}

function spent(): ActionError {
  return new ActionError(
    "NOT_FOUND",
    "This link does not work: it was used, withdrawn or replaced, or its time is over. Ask the person who sent it for a new one.",
  );
}

/** Who made a link that was asked for by mail, by anybody who typed the address: links that others have made go on working. */
export const BY_MAIL = "mail";

const MADE_ACTION = { "sign-in": "user.sign-in-link-made", "password-reset": "user.reset-link-made" } as const;

/** A link that opens an account, told to the audit log; older ones of its kind stop working. */
export async function insertAccountLink(
  operator: Operator,
  recording: Recording,
  user: UserRow,
  { kind, createdBy }: { readonly kind: keyof typeof MADE_ACTION; readonly createdBy: string },
  now: number,
): Promise<MadeLink> {
  await claimUser(operator, user.id);
  await voidLinksOf(operator, user.id, { kinds: [kind], ...(createdBy === BY_MAIL ? { createdBy } : {}) });
  const made = await makeLink(operator, { kind, userId: user.id, createdBy }, now);
  await recordOfUser(operator, recording, user, { at: now, action: MADE_ACTION[kind] });
  return made;
}
