/** Links that open an account, made in transactions of the caller's and told to the audit log there. */
import type { Operator, Recording } from "../store/store.ts";
import { type MadeLink, makeLink, voidLinksOf } from "./links.ts";
import { recordOfUser } from "./user-audit.ts";
import { claimUser, type UserRow } from "./users.ts";

/** Who made a link that was asked for by mail. */
const MAIL = "mail";

/** To choose a password with; older ones of the same user stop working. */
export async function insertResetLink(
  operator: Operator,
  recording: Recording,
  user: UserRow,
  createdBy: string,
  now: number,
): Promise<MadeLink> {
  return insertLink(
    operator,
    recording,
    user,
    { kind: "password-reset", createdBy, action: "user.reset-link-made" },
    now,
  );
}

/** As `insertResetLink`, asked for by whoever typed the address: so links that others have made go on working. */
export async function insertMailedResetLink(
  operator: Operator,
  recording: Recording,
  user: UserRow,
  now: number,
): Promise<MadeLink> {
  const wanted = { kind: "password-reset", createdBy: MAIL, action: "user.reset-link-made" } as const;
  return insertLink(operator, recording, user, wanted, now);
}

/** To sign in with; older ones of the same user stop working. */
export async function insertSignInLink(
  operator: Operator,
  recording: Recording,
  user: UserRow,
  createdBy: string,
  now: number,
): Promise<MadeLink> {
  return insertLink(operator, recording, user, { kind: "sign-in", createdBy, action: "user.sign-in-link-made" }, now);
}

async function insertLink(
  operator: Operator,
  recording: Recording,
  user: UserRow,
  { kind, createdBy, action }: { kind: "sign-in" | "password-reset"; createdBy: string; action: string },
  now: number,
): Promise<MadeLink> {
  await claimUser(operator, user.id);
  await voidLinksOf(operator, user.id, { kinds: [kind], ...(createdBy === MAIL ? { createdBy } : {}) });
  const made = await makeLink(operator, { kind, userId: user.id, createdBy }, now);
  await recordOfUser(operator, recording, user, { at: now, action });
  return made;
}
