/** Every action of the dashboard, one list. */
import type * as z from "zod";
import { ACCOUNT_ACTIONS } from "./account.ts";
import type { Action } from "./action.ts";
import { CALENDAR_LINK_ACTIONS } from "./calendar-links.ts";
import { DATA_ACTIONS } from "./data.ts";
import { ERASURE_ACTIONS } from "./erasure.ts";
import { FOLLOWING_ACTIONS } from "./following.ts";
import { KEY_ACTIONS } from "./keys.ts";
import { ORGANIZATION_ACTIONS } from "./organization.ts";
import { RECORD_ACTIONS } from "./records.ts";
import { TRANSFER_ACTIONS } from "./transfer.ts";
import { WEBHOOK_ACTIONS } from "./webhooks.ts";

export const ACTIONS = [
  ...ACCOUNT_ACTIONS,
  ...ORGANIZATION_ACTIONS,
  ...KEY_ACTIONS,
  ...RECORD_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...CALENDAR_LINK_ACTIONS,
  ...ERASURE_ACTIONS,
  ...DATA_ACTIONS,
  ...TRANSFER_ACTIONS,
  ...FOLLOWING_ACTIONS,
] as const;

export type AnyAction = (typeof ACTIONS)[number];
export type ActionName = AnyAction["name"];
export type ActionNamed<N extends ActionName> = Extract<AnyAction, { name: N }>;

export type ActionResult<N extends ActionName> = z.output<ActionNamed<N>["result"]>;
/** What a caller sends. */
export type ActionBody<N extends ActionName> =
  ActionNamed<N> extends { body: infer B extends z.ZodType } ? z.input<B> : undefined;
export type ActionQuery<N extends ActionName> =
  ActionNamed<N> extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined;
/** What a verb gets. */
export type ParsedBody<N extends ActionName> =
  ActionNamed<N> extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
export type ParsedQuery<N extends ActionName> =
  ActionNamed<N> extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;

type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The identifiers in the path, by name. */
export type ActionPath<N extends ActionName> = Readonly<Record<NamesIn<ActionNamed<N>["path"]>, string>>;

const byName = new Map<string, Action>(ACTIONS.map((action) => [action.name, action]));

export function requireAction(name: ActionName): Action {
  const action = byName.get(name);
  if (action === undefined) throw new Error(`There is no action ${name}.`);
  return action;
}
