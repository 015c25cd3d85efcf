/** Tells the audit log what a user did or what was done to a user: in every organization the user belongs to, or, in none, in the installation's. */
import { type AuditEntry, changesFromNothing, INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import type { Origin } from "../store/origin.ts";
import type { Operator, Recording } from "../store/store.ts";
import type { Visit } from "./visit.ts";

export interface NamedUser {
  readonly id: string;
  readonly name: string;
}

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
