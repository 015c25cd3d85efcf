/** The types of changes, as the change feed lists them and webhooks carry them. Imports no schema, so that the browser gets it without. */

import type { Permission } from "./permissions.ts";
import { DAY_MS } from "./tiers.ts";

/** What a type begins with, by the kind of record it is about, and what a key must hold to be told. */
export const CHANGED_KINDS = {
  player: { type: "player", permission: "players:read" },
  team: { type: "team", permission: "teams:read" },
  assignment: { type: "roster", permission: "roster:read" },
  event: { type: "schedule", permission: "schedule:read" },
  prospect: { type: "prospect", permission: "prospects:read" },
  contract: { type: "contract", permission: "contracts:read" },
} as const satisfies Readonly<Record<string, { readonly type: string; readonly permission: Permission }>>;

export type ChangedKind = keyof typeof CHANGED_KINDS;

type RecordType = (typeof CHANGED_KINDS)[ChangedKind]["type"];
type ChangeTypeOf<T extends string> = `${T}.created` | `${T}.updated` | `${T}.deleted`;
/** The last two are made by time. */
export type ChangeType = ChangeTypeOf<RecordType> | "contract.expiring" | "contract.expired";

export const CHANGE_TYPES: readonly ChangeType[] = Object.values(CHANGED_KINDS).flatMap(({ type }) => {
  const own: ChangeType[] = [`${type}.created`, `${type}.updated`, `${type}.deleted`];
  return type === "contract" ? [...own, "contract.expiring", "contract.expired"] : own;
});

/** What a key must hold to be told of changes of this type. */
export function permissionToRead(type: ChangeType): Permission {
  const found = Object.values(CHANGED_KINDS).find((kind) => type.startsWith(`${kind.type}.`));
  if (found === undefined) throw new Error(`No kind of record has changes of the type ${type}.`);
  return found.permission;
}

/** How many days before its end a contract is told to expire. */
export const EXPIRY_NOTICES_DAYS = [90, 60, 30, 7] as const;

export interface ExpiryNotice {
  /** Before the end; 0 is the end itself. */
  readonly days: number;
  readonly dueAt: number;
}

/** What time next has to tell of a contract with this end, after that moment; undefined once it has ended. */
export function findNextNotice(endDate: number, after: number): ExpiryNotice | undefined {
  return [...EXPIRY_NOTICES_DAYS, 0]
    .map((days) => ({ days, dueAt: endDate - days * DAY_MS }))
    .find(({ dueAt }) => dueAt > after);
}
