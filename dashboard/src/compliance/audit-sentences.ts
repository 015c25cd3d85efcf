/** Entries of the audit log as sentences: who is said elsewhere, here stands what was done and to what. */
import type { AuditEntryView } from "@lineup/api/dashboard/records";

/** The target stands between two texts, so that it can be shown apart; null where the sentence needs none. */
export interface AuditSentence {
  readonly before: string;
  readonly target: string | null;
  readonly after: string;
}

/** `{}` is where the target stands; without it the target is not named. */
const SENTENCES: Readonly<Record<string, string>> = {
  "organization.created": "created the organization {}",
  "organization.renamed": "renamed the organization {}",
  "organization.deleted": "deleted the organization {}",
  "tier.changed": "changed the tier of {}",
  "key.created": "created the key {}",
  "key.updated": "changed the key {}",
  "key.rotated": "rotated the key {}",
  "key.revoked": "revoked the key {}",
  "player.created": "added the player {}",
  "player.updated": "changed the player {}",
  "player.deleted": "removed the player {}",
  "prospect.created": "added the prospect {}",
  "prospect.updated": "changed the prospect {}",
  "prospect.deleted": "removed the prospect {}",
  "team.created": "added the team {}",
  "team.updated": "changed the team {}",
  "team.deleted": "removed the team {}",
  "contract.created": "added the contract of {}",
  "contract.updated": "changed the contract of {}",
  "contract.deleted": "removed the contract of {}",
  "assignment.created": "put {} on the roster",
  "assignment.updated": "changed the roster entry of {}",
  "assignment.deleted": "removed the roster entry of {}",
  "event.created": "added {} to the schedule",
  "event.updated": "changed {} in the schedule",
  "event.deleted": "removed {} from the schedule",
  "member.invited": "invited {}",
  "member.joined": "joined the organization",
  "member.role-changed": "changed the role of {}",
  "member.removed": "removed the member {}",
  "member.left": "left the organization",
  "invitation.withdrawn": "withdrew the invitation of {}",
  "user.created": "created the account of {}",
  "user.signed-in": "signed in",
  "user.signed-out": "signed out",
  "user.sign-in-refused": "tried too many wrong passwords for {}",
  "user.password-changed": "changed their password",
  "user.password-reset": "chose a new password with a link",
  "user.reset-link-made": "made a link to reset the password of {}",
  "user.second-factor-enabled": "turned on their second factor",
  "user.second-factor-disabled": "turned off their second factor",
  "user.recovery-codes-renewed": "renewed their recovery codes",
  "user.sessions-ended": "signed out everywhere",
  "user.profile-changed": "changed their profile",
  "audit.began": "began this log",
  "audit.exported": "exported the audit log",
  "audit.break-found": "found a break in this log",
};

/** Fields whose two values belong into the sentence itself. */
const TOLD_CHANGE: Readonly<Record<string, string>> = { "tier.changed": "tier", "member.role-changed": "role" };

export function describeEntry(entry: Pick<AuditEntryView, "action" | "target" | "changes">): AuditSentence {
  const sentence = SENTENCES[entry.action];
  const target = entry.target.name ?? entry.target.id;
  if (sentence === undefined) return { before: `${nameAction(entry.action)}: `, target, after: "" };
  const [before = "", after] = sentence.split("{}");
  if (after === undefined) return { before, target: null, after: "" };
  return { before, target, after: `${after}${tellChange(entry)}` };
}

function tellChange({ action, changes }: Pick<AuditEntryView, "action" | "changes">): string {
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

/** The kinds of action one can filter by, with all that this page knows of each. */
export const AUDIT_KINDS: readonly { readonly kind: string; readonly label: string }[] = [
  { kind: "key", label: "API keys" },
  { kind: "member", label: "Members" },
  { kind: "invitation", label: "Invitations" },
  { kind: "user", label: "Sign-ins and accounts" },
  { kind: "organization", label: "Organization" },
  { kind: "tier", label: "Tier" },
  { kind: "player", label: "Players" },
  { kind: "team", label: "Teams" },
  { kind: "assignment", label: "Roster" },
  { kind: "event", label: "Schedule" },
  { kind: "prospect", label: "Prospects" },
  { kind: "contract", label: "Contracts" },
  { kind: "audit", label: "This log" },
];

/** Every action this page knows of a kind, as it is asked for and as it reads. */
export function listActionsOf(kind: string): { readonly action: string; readonly label: string }[] {
  return Object.keys(SENTENCES)
    .filter((action) => action.startsWith(`${kind}.`))
    .map((action) => ({ action, label: capitalize(nameAction(action)) }));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
