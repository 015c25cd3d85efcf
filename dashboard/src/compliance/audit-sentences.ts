/** Entries of the audit log as sentences: who is said elsewhere, here stands what was done and to what. */
import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { AUDIT_ACTION_NAMES, AUDIT_OWN_SENTENCES, AUDIT_SENTENCES } from "../texts/audit-texts.ts";

/** The target stands between two texts, so that it can be shown apart; null where the sentence needs none. */
export interface AuditSentence {
  readonly before: string;
  readonly target: string | null;
  readonly after: string;
}

/** Fields whose two values belong into the sentence itself. */
const TOLD_CHANGE: Readonly<Record<string, string>> = { "tier.changed": "tier", "member.role-changed": "role" };

export type ToldEntry = Pick<AuditEntryView, "action" | "actor" | "target" | "changes">;

export function describeEntry(entry: ToldEntry): AuditSentence {
  const isOwn = entry.actor.id !== null && entry.actor.id === entry.target.id;
  const sentence = (isOwn ? AUDIT_OWN_SENTENCES[entry.action] : undefined) ?? AUDIT_SENTENCES[entry.action];
  const target = entry.target.name ?? entry.target.id;
  if (sentence === undefined) return { before: `${nameAction(entry.action)}: `, target, after: "" };
  const [before = "", after] = sentence.split("{}");
  if (after === undefined) return { before: `${before}${tellChange(entry)}`, target: null, after: "" };
  return { before, target, after: `${after}${tellChange(entry)}` };
}

function tellChange({ action, changes }: ToldEntry): string {
  const field = TOLD_CHANGE[action];
  const change = field === undefined ? undefined : changes?.[field];
  if (change === undefined) return "";
  const [before, after] = change;
  return typeof before === "string" && typeof after === "string" ? ` from ${before} to ${after}` : "";
}

/** `key.signed-off` → "key signed off": for actions that this page has not heard of. */
function nameAction(action: string): string {
  return action.replaceAll(/[._-]+/g, " ");
}

export function tellSentence(sentence: AuditSentence): string {
  return `${sentence.before}${sentence.target ?? ""}${sentence.after}`;
}

/** Every action this page knows of a kind, as it is asked for and as it reads. */
export function listActionsOf(kind: string): { readonly action: string; readonly label: string }[] {
  return Object.keys(AUDIT_SENTENCES)
    .filter((action) => action.startsWith(`${kind}.`))
    .map((action) => ({ action, label: AUDIT_ACTION_NAMES[action] ?? capitalize(nameAction(action)) }));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
